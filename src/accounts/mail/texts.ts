import type { Language } from '../../pages/languages.ts'
import type { ModerationMailKind } from './moderation-texts.ts'
import type { NewMail } from './outbox.ts'

/** What a mail can say: what was queued, or that there is an account already where somebody signed up. */
export type MailKind = Exclude<NewMail['kind'], ModerationMailKind> | 'already_registered'

/** `body` paragraphs; `{link}` and `{from}` are filled in. */
type Text = { subject: string; body: string[] }

export const TEXTS: Record<Language, Record<MailKind, Text>> = {
  en: {
    sign_up: {
      subject: 'Confirm your e-mail address',
      body: [
        'Follow this link to finish creating your mokuroku account. It works once, for 30 minutes.',
        '{link}',
        'If you did not ask for this, ignore this mail: no account is made without the link.',
      ],
    },
    already_registered: {
      subject: 'You have an account already',
      body: [
        'Somebody, probably you, asked for a mokuroku account with this address. There is one already: sign in with it, or reset its password.',
        'If it was not you, there is nothing to do: nothing has changed.',
      ],
    },
    reset_password: {
      subject: 'Reset your password',
      body: [
        'Follow this link to choose a new password for your mokuroku account. It works once, for 30 minutes.',
        '{link}',
        'If you did not ask for this, ignore this mail: your password stays as it is.',
      ],
    },
    change_email: {
      subject: 'Confirm your new e-mail address',
      body: [
        'Follow this link to make this the address of your mokuroku account. It works once, for 30 minutes.',
        '{link}',
        'If you did not ask for this, ignore this mail: nothing changes without the link.',
      ],
    },
    password_changed: {
      subject: 'Your password was changed',
      body: [
        'The password of your mokuroku account was changed.',
        '{from}',
        'If it was not you, reset your password at once and end all sessions on your account page.',
      ],
    },
    email_changed: {
      subject: 'Your e-mail address was changed',
      body: [
        'Your mokuroku account has another e-mail address now. Mails to this one no longer reach it.',
        '{from}',
        'If it was not you, write to the operator of this service at once.',
      ],
    },
    new_device: {
      subject: 'New sign-in to your account',
      body: [
        'Somebody signed in to your mokuroku account with a browser that was not used before.',
        '{from}',
        'If it was not you, reset your password at once and end all sessions on your account page.',
      ],
    },
    second_factor_changed: {
      subject: 'Your ways to sign in were changed',
      body: [
        'An authenticator app or a passkey was added to your mokuroku account, or removed from it.',
        '{from}',
        'If it was not you, reset your password at once and look through your account page.',
      ],
    },
  },
  ja: {
    sign_up: {
      subject: 'メールアドレスの確認',
      body: [
        '次のリンクを開くと、mokuroku のアカウント登録が完了します。リンクは一度だけ、30 分間有効です。',
        '{link}',
        'お心当たりがない場合は、このメールを無視してください。リンクを開かない限り、アカウントは作成されません。',
      ],
    },
    already_registered: {
      subject: 'アカウントは登録済みです',
      body: [
        'このメールアドレスで mokuroku のアカウント登録が申し込まれましたが、すでに登録されています。そのままログインするか、パスワードを再設定してください。',
        'お心当たりがない場合、何もする必要はありません。アカウントに変更はありません。',
      ],
    },
    reset_password: {
      subject: 'パスワードの再設定',
      body: [
        '次のリンクを開いて、mokuroku のアカウントの新しいパスワードを設定してください。リンクは一度だけ、30 分間有効です。',
        '{link}',
        'お心当たりがない場合は、このメールを無視してください。パスワードは変わりません。',
      ],
    },
    change_email: {
      subject: '新しいメールアドレスの確認',
      body: [
        '次のリンクを開くと、mokuroku のアカウントのメールアドレスがこのアドレスに変わります。リンクは一度だけ、30 分間有効です。',
        '{link}',
        'お心当たりがない場合は、このメールを無視してください。リンクを開かない限り、何も変わりません。',
      ],
    },
    password_changed: {
      subject: 'パスワードが変更されました',
      body: [
        'mokuroku のアカウントのパスワードが変更されました。',
        '{from}',
        'お心当たりがない場合は、すぐにパスワードを再設定し、アカウントページですべてのセッションを終了してください。',
      ],
    },
    email_changed: {
      subject: 'メールアドレスが変更されました',
      body: [
        'mokuroku のアカウントのメールアドレスが変更されました。今後、このアドレスにメールは届きません。',
        '{from}',
        'お心当たりがない場合は、すぐにこのサービスの運営者に連絡してください。',
      ],
    },
    new_device: {
      subject: '新しいブラウザからのログイン',
      body: [
        'これまで使われたことのないブラウザから、mokuroku のアカウントへのログインがありました。',
        '{from}',
        'お心当たりがない場合は、すぐにパスワードを再設定し、アカウントページですべてのセッションを終了してください。',
      ],
    },
    second_factor_changed: {
      subject: 'ログイン方法が変更されました',
      body: [
        'mokuroku のアカウントで、認証アプリまたはパスキーが追加または削除されました。',
        '{from}',
        'お心当たりがない場合は、すぐにパスワードを再設定し、アカウントページを確認してください。',
      ],
    },
  },
  'zh-Hans': {
    sign_up: {
      subject: '确认您的邮箱地址',
      body: [
        '打开以下链接即可完成 mokuroku 账号注册。链接只能使用一次，30 分钟内有效。',
        '{link}',
        '如果这不是您本人的操作，请忽略本邮件：不打开链接就不会创建账号。',
      ],
    },
    already_registered: {
      subject: '您已有账号',
      body: [
        '有人（可能是您本人）用这个邮箱地址申请注册 mokuroku 账号，但该地址已有账号：请直接登录，或重置密码。',
        '如果这不是您本人的操作，无需任何处理：账号没有任何变化。',
      ],
    },
    reset_password: {
      subject: '重置密码',
      body: [
        '打开以下链接，为您的 mokuroku 账号设置新密码。链接只能使用一次，30 分钟内有效。',
        '{link}',
        '如果这不是您本人的操作，请忽略本邮件：密码不会改变。',
      ],
    },
    change_email: {
      subject: '确认新的邮箱地址',
      body: [
        '打开以下链接，将此地址设为您的 mokuroku 账号的邮箱。链接只能使用一次，30 分钟内有效。',
        '{link}',
        '如果这不是您本人的操作，请忽略本邮件：不打开链接就不会有任何改变。',
      ],
    },
    password_changed: {
      subject: '您的密码已更改',
      body: [
        '您的 mokuroku 账号的密码已更改。',
        '{from}',
        '如果这不是您本人的操作，请立即重置密码，并在账号页面结束所有会话。',
      ],
    },
    email_changed: {
      subject: '您的邮箱地址已更改',
      body: [
        '您的 mokuroku 账号的邮箱地址已更改，此地址今后不再收到相关邮件。',
        '{from}',
        '如果这不是您本人的操作，请立即联系本服务的运营者。',
      ],
    },
    new_device: {
      subject: '您的账号有新的登录',
      body: [
        '有人用从未使用过的浏览器登录了您的 mokuroku 账号。',
        '{from}',
        '如果这不是您本人的操作，请立即重置密码，并在账号页面结束所有会话。',
      ],
    },
    second_factor_changed: {
      subject: '您的登录方式已更改',
      body: [
        '您的 mokuroku 账号添加或移除了身份验证器或通行密钥。',
        '{from}',
        '如果这不是您本人的操作，请立即重置密码，并检查账号页面。',
      ],
    },
  },
}

/** How `{from}` begins. */
export const FROM: Record<Language, string> = { en: 'From', ja: 'アクセス元', 'zh-Hans': '来自' }
