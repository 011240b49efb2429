import { duration } from './duration.ts'
import type { SignUpMessages } from './sign-up-en.ts'

export const signUpJa: SignUpMessages = {
  signUp: {
    title: 'アカウントを作成',
    email: 'メールアドレス',
    emailHint: '確認のリンクをお送りします。あなたが許可しない限り、ほかの人には公開されません。',
    name: '名前',
    nameHint: '表示される名前です。あとで変更できます。',
    password: 'パスワード',
    passwordHint: '8文字以上。いくつかの単語を並べると、覚えやすく安全です。',
    submit: 'アカウントを作成',
    haveOne: 'すでにアカウントをお持ちの方は',
    signIn: 'ログイン',
  },
  signUpFaults: {
    email_invalid: 'メールアドレスの形式が正しくありません。「name@example.com」のように入力してください。',
    name_invalid: '名前は1行、64文字以内で入力してください。',
    password_too_short: '短すぎます。8文字以上にしてください。',
    password_too_long: '長すぎます。1000文字以内にしてください。',
    password_is_email: 'メールアドレスと同じパスワードはすぐに推測されます。別のものにしてください。',
    password_common: 'このパスワードはよく使われていて推測されやすいものです。別のものにしてください。',
  },
  mailSent: {
    title: 'メールをご確認ください',
    local: (folder) =>
      `SMTP_URL が設定されていないため、このサーバーはメールを送信しません。メールは ${folder} に、リンクはログにあります。`,
    signUp: (email) => `${email} にメールを送信しました。メールのリンクを開いて登録を完了してください。`,
    reset: (email) =>
      `${email} のアカウントがあれば、メールが届きます。メールのリンクを開いて新しいパスワードを設定してください。`,
    sameBrowser: 'リンクは30分間有効で、一度だけ使えます。このブラウザーで開くのがいちばん簡単です。',
    nothing: 'メールが届かない場合は、迷惑メールフォルダーとアドレスをご確認ください。',
    again: 'メールを送り直す',
    tooMany: (minutes) =>
      `お使いのネットワークからのメール送信の依頼が多すぎます。${minutes}分後にもう一度お試しください。`,
  },
  signUpConfirm: {
    title: 'あと一歩です',
    text: (email) => `${email} で mokuroku のアカウントを作成しますか？`,
    otherBrowser: '登録を始めたブラウザーとは異なるため、ご本人の確認にパスワードを入力してください。',
    password: '登録時に決めたパスワード',
    submit: 'アカウントを作成する',
    wrong: '登録時に決めたパスワードと一致しません。',
    wait: (seconds) => `試行回数が多すぎます。${duration.ja(seconds)}後にもう一度お試しください。`,
    notYou: 'お心当たりがない場合は、このページを閉じてください。何も起こりません。',
    existsTitle: 'アカウントは登録済みです',
    exists: 'このメールアドレスのアカウントはすでにあります。そのままログインしてください。',
    signIn: 'ログイン',
  },
  linkGone: {
    title: 'このリンクは使えません',
    text: 'すでに使われたか、30分の有効期限が切れています。',
    signUp: 'もう一度登録する',
    reset: '新しいリンクを送る',
    signIn: 'ログイン',
  },
  forgottenPassword: {
    title: 'パスワードをお忘れですか？',
    text: 'アカウントのメールアドレスを入力してください。新しいパスワードを設定するためのリンクをお送りします。',
    email: 'メールアドレス',
    submit: 'リンクを送る',
    signIn: 'ログインに戻る',
  },
  resetPassword: {
    title: '新しいパスワードの設定',
    text: 'ほかの場所ではすべてログアウトされます。',
    password: '新しいパスワード',
    disconnectApps: 'すべてのアプリの連携を解除する',
    disconnectHint:
      'アプリはただちにアクセスできなくなり、改めて許可を求めます。ほかの人がログインしたおそれがあるときは、チェックを入れてください。',
    submit: 'パスワードを保存',
    done: 'パスワードを変更しました。新しいパスワードでログインしてください。',
  },
}
