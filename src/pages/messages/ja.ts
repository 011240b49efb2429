import { accountJa } from './account-ja.ts'
import { guideJa } from './guide-ja.ts'
import { importJa } from './import-ja.ts'
import { consoleJa } from './console-ja.ts'
import { libraryJa } from './library-ja.ts'
import { profileJa } from './profile-ja.ts'
import { signUpJa } from './sign-up-ja.ts'
import { browseJa } from './browse-ja.ts'
import { deskJa } from './desk-ja.ts'
import { kindsJa } from './kinds-ja.ts'
import { entryJa } from './entry-ja.ts'
import { duration } from './duration.ts'
import { html } from '../html.ts'
import type { Messages } from './en.ts'

export const ja: Messages = {
  ...accountJa,
  ...signUpJa,
  ...browseJa,
  ...consoleJa,
  ...libraryJa,
  ...importJa,
  ...profileJa,
  ...guideJa,
  ...entryJa,
  ...deskJa,
  ...kindsJa,
  scopes: {
    openid: '再訪時にあなたのアカウントを識別する',
    profile: '名前とプロフィール画像を見る',
    email: 'メールアドレスを見る',
    offline_access: 'あなたが利用していない間もアクセスを続ける',
    'catalog:read': 'カタログを閲覧する',
    'catalog:full': '成人向け作品を含むカタログ全体を閲覧する',
    'catalog:sync': 'カタログの変更フィードを取得する',
    'user:read': 'アカウント情報（名前・プロフィール画像・自己紹介）を見る',
    'status:read': '評価と読書・プレイの状態を見る',
    'status:write': '評価と読書・プレイの状態を見る・変更する',
    'collection:read': 'コレクションを見る',
    'collection:write': 'コレクションを見る・変更する',
    'developer:apps': '登録したアプリを見る・変更する',
  },
  withheldScopes: {
    'user:read': '自己紹介を見る',
    'status:write': '評価と読書・プレイの状態を変更する',
    'collection:write': 'コレクションを変更する',
  },
  signIn: {
    title: 'ログイン',
    toContinueTo: (app) => `「${app}」に進むにはログインしてください`,
    reasons: {
      draft: 'ログアウトされていました。入力した文章は保存されています。ログインすると続きから書けます。',
      record: 'リストに追加するにはログインしてください。',
      library: 'リストを見るにはログインしてください。',
      import: 'リストを取り込むにはログインしてください。',
      collections: 'コレクションを見るにはログインしてください。',
      report: '問題を報告するにはログインしてください。',
      console: 'アプリを管理するにはログインしてください。',
    },
    email: 'メールアドレス',
    password: 'パスワード',
    submit: 'ログイン',
    passkey: 'パスキーでログイン',
    or: 'または',
    forgotten: 'パスワードをお忘れですか？',
    newHere: 'はじめての方は',
    signUp: 'アカウントを作成',
    backTo: (app) => `「${app}」に戻る`,
    back: 'アプリに戻る',
    wrong:
      'メールアドレスとパスワードの組み合わせが正しくありません。登録したばかりの方は、先にメールのリンクを開いてください。',
    banned: 'このアカウントは利用停止になっています。',
    wait: (seconds: number) => `試行回数が多すぎます。${duration.ja(seconds)}後にもう一度お試しください。`,
    passkeyWrong: 'このパスキーは使えませんでした。もう一度試すか、パスワードでログインしてください。',
  },
  secondFactor: {
    title: 'もう一段階の確認',
    text: '認証アプリに表示されている6桁の数字を入力してください。',
    code: 'コード',
    submit: 'ログイン',
    passkey: '代わりにパスキーを使う',
    wrong: 'コードが正しくないか、すでに使われています。次のコードを待ってからもう一度お試しください。',
    wait: (seconds: number) => `試行回数が多すぎます。${duration.ja(seconds)}後にもう一度お試しください。`,
    trust: 'このブラウザーでは30日間コードを求めない',
    lost: 'スマートフォンをなくした場合',
    lostText:
      '認証アプリを設定したときに受け取ったリカバリーコードを1つ入力してください。それぞれ一度だけ使えます。',
    recoveryCode: 'リカバリーコード',
    wrongRecovery: 'リカバリーコードが正しくないか、すでに使われています。',
    lostAll:
      'コードも残っていない場合は、パスキーでログインできます。パスキーもなければ、このサービスの運営者に連絡してください。メールだけではログインできません。',
    contact: '連絡先：',
  },
  keepAccount: {
    title: 'アカウントを残しますか？',
    text: (name, day) =>
      `${name}\u00a0さん、お帰りなさい。このアカウントは ${day} に削除される予定です。残すと、評価、レビュー、コレクションは元どおりになります。アプリは改めて許可が必要です。`,
    keep: 'アカウントを残す',
    leave: 'このまま削除する',
  },
  notMe: {
    title: 'お心当たりがありませんか？',
    text: 'すべてのデバイスからログアウトし、今のパスワードを無効にします。次のページで新しいパスワードを設定してください。',
    submit: '自分ではありません',
    wasMe: 'ご自身の操作でしたら、このページを閉じてください。何も変わっていません。',
    textPutBack: (email) =>
      `アカウントのメールアドレスを ${email} に戻し、すべてのデバイスからログアウトし、今のパスワードを無効にします。新しいパスワードを設定するためのメールを ${email} にお送りします。`,
    goes: (since) => html`${since} 以降に追加された次のものは削除されます。`,
    authenticator: '認証アプリ',
    passkey: 'パスキー',
    codes: 'リカバリーコード',
    app: 'アプリへの許可：',
    registered: '登録されたアプリ（無効になります）:',
    changed:
      'それ以降に変更された、以前からのあなたのアプリです。これらはそのまま残ります。後で開発者コンソールでアドレスを確認し、シークレットを再発行してください。',
    stays: (since) =>
      html`${since} より前からあるパスキー、認証アプリ、アプリはそのまま残ります。その中にお心当たりのないものがあれば、追加をお知らせしたメールのリンクを開いてください。`,
    takenTitle: 'このアドレスは使われています',
    taken: (email) =>
      `${email} は現在ほかのアカウントのアドレスになっているため、元に戻せません。そのアカウントにログインして別のアドレスに変更してから、もう一度このリンクを開いてください。まだ何も変わっていません。`,
    doneTitle: 'アドレスを元に戻しました',
    done: (email) => `アカウントのアドレスは ${email} に戻り、すべてのデバイスからログアウトしました。`,
    doneNext:
      'お送りしたメールのリンクを開いて、新しいパスワードを設定してください。リンクは 30 分間有効です。その後は「パスワードを忘れた場合」からもう一度送れます。',
  },
  chooseAccount: {
    title: 'アカウントの選択',
    toContinueTo: (app) => `「${app}」で使うアカウントを選んでください`,
    other: '別のアカウントを使う',
    cancel: 'キャンセル',
  },
  consent: {
    title: (app) => `「${app}」\u2060を許可しますか？`,
    asks: (app) => `「${app}」が、あなたの mokuroku アカウントへのアクセスを求めています。`,
    website: 'ウェブサイト',
    sendsTo: '許可後の移動先',
    publicApp:
      'このアプリはお使いのデバイスやブラウザー上で動作するため、本物かどうかをこちらでは確認できません。',
    willBeAble: 'このアプリができること',
    wontBeAble: 'このアプリができないこと',
    already: '許可済み',
    nothing: 'すでに許可した内容以外は求めていません。',
    password: 'パスワードを見る',
    offline: (day, days) =>
      `アクセスは ${day} まで続きます。${days} 日間使われなければ、その時点で終わります。`,
    takeBack: 'アクセスは、アカウントページでいつでも削除できます。',
    allow: '許可する',
    deny: '許可しない',
    thisSite: 'このサイト',
    thisDevice: 'このデバイスのプログラムに戻ります',
    developer: '開発者',
    developerSince: (day) => `${day} から利用`,
    inUse: '利用状況',
    readers: (amount) => (amount === 0 ? 'まだ誰も使っていません' : `${amount} 人が利用中`),
    appSince: (day) => `${day} 登録`,
    needs: (app) => `「必須」のものがないと、${app} は動きません。`,
    needed: '必須',
    choose: '知らせたくないものは、チェックを外せます。アプリはそれでも動くはずです。',
    changes: '変更できる',
    groups: {
      profile: 'プロフィール',
      ratings: '評価',
      collections: 'コレクション',
      catalog: 'カタログ',
      apps: 'アプリ',
      access: '期間',
    },
    privacy: 'プライバシー',
    terms: '利用規約',
  },
  device: {
    title: 'デバイスの接続',
    enterCode: 'デバイスに表示されているコードを入力してください。',
    code: 'コード',
    next: '次へ',
    confirmTitle: 'これはあなたのデバイスですか？',
    confirmText: (app) =>
      `「${app}」が接続しようとしています。デバイスに次のコードが表示されている場合だけ進んでください。`,
    warning: '誰かから送られてきたコードであれば、詐欺の手口です。先に進まないでください。',
    askedFrom: '要求元のアドレス',
    askedAt: '要求された時刻',
    confirm: 'はい、続ける',
    abort: 'いいえ、中止する',
    doneTitle: 'デバイスを接続しました',
    done: 'このページを閉じて、デバイスに戻ってください。',
    wrongCode:
      'コードが間違っているか、使用済みか、期限切れです。確認するか、デバイスに新しいコードを表示させてください。',
    aborted: '中止しました。デバイスは接続されていません。',
  },
  signOut: {
    title: 'ログアウトしますか？',
    asks: (app) => `「${app}」からの確認です。mokuroku からもログアウトしますか？`,
    question: 'このブラウザーで mokuroku からログアウトしますか？',
    yes: 'ログアウト',
    no: 'ログインしたままにする',
    doneTitle: 'ログアウトしました',
    done: 'このブラウザーではログアウトしました。このページは閉じてかまいません。',
    again: 'もう一度ログイン',
  },
  continuing: {
    title: 'お待ちください',
    text: '次のページへ移動しています。切り替わらない場合はボタンを押してください。',
    submit: '続ける',
  },
  forms: {
    draft: {
      title: '書きかけの文章に戻る',
      text: 'ログインしました。書きかけの文章は残っています。保存するまで公開されません。',
      submit: '続きを書く',
    },
    conflict:
      'このページを開いたあとに、別のタブまたはアプリで内容が変更されたため、保存しませんでした。入力した内容はフォームに残っています。もう一度保存すると、次の内容が上書きされます：',
    empty: '（空欄）',
    otherAccount:
      'このフォームを開いたときとは別のアカウントでログインしています。何も変更していません。ページを再読み込みして、もう一度お試しください。',
  },
  error: {
    title: '問題が発生しました',
    inTitle: 'エラー：',
    received: (name) => `受け取った ${name} の値：`,
    requestId: 'お問い合わせの際は、この番号をお伝えください：',
    forgedForm: (address: string) =>
      `このフォームがご本人のものか確認できませんでした。${address} を開いて、もう一度お試しください。Cookie を許可しておく必要があります。`,
    unreadable:
      '送信された内容を読み取れませんでした。前のページに戻り、入力内容を確認してもう一度お試しください。',
    tooLarge: '送信された内容が長すぎます。前のページに戻り、短くしてもう一度お試しください。',
    again: 'もう一度試す',
    wait: ['あと ', ' 秒でもう一度お試しいただけます。'],
    ready: 'もう一度お試しいただけます。',
    tooManyTitle: '少し時間をおいてください',
    tooMany: '1分間のアクセスが多すぎました。',
    unavailableTitle: 'すぐに戻ります',
    unavailable: 'サービスが一時的に利用できません。少し待ってからもう一度お試しください。',
    refused: 'この操作を行う権限がありません。',
    notFoundTitle: 'ページが見つかりません',
    notFound: 'アドレスが間違っているか、ページがすでに存在しません。',
    unexpected:
      'サーバー側で問題が発生しました。内容は記録されています。しばらくしてからもう一度お試しください。',
    missingParameter: (names: string) =>
      `アプリからのリクエストに ${names} がありません。アプリに戻るか、開発者にお知らせください。`,
    doubledParameter: (names: string) =>
      `アプリからのリクエストに ${names} が二つあります。アプリに戻るか、開発者にお知らせください。`,
    badRequest: 'アプリから理解できないリクエストが届きました。アプリに戻るか、開発者にお知らせください。',
    forDevelopers: '開発者の方へ：',
    invalidRedirectUri:
      'アプリが登録していないアドレスへの移動を求めたため、ここで中止しました。アプリの開発者にお知らせください。登録したアドレスと一字一句同じでなければなりません。',
    unknownApp:
      'このアプリは登録されていないか、無効になっています。アプリに戻るか、開発者にお知らせください。',
    expired:
      'すでに完了したか、時間がかかりすぎたか、別のブラウザーで始められた手続きです。アプリに戻って最初からやり直してください。',
  },
}
