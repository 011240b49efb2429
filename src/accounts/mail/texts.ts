import type { Language } from '../../i18n/languages.ts'
import type { ModerationMailKind } from './moderation-texts.ts'
import type { NewMail } from './outbox.ts'

/** What a mail can say: what was queued, or that there is an account already where somebody signed up. */
export type MailKind = Exclude<NewMail['kind'], ModerationMailKind> | 'already_registered'

/** `body` paragraphs; `{link}`, `{from}`, `{back}` and `{not_me}` are what is put in their place; `button` leads to the link. */
type Text = { subject: string; body: string[]; button?: string }

export const TEXTS: Record<Language, Record<MailKind, Text>> = {
  en: {
    sign_up: {
      subject: 'Confirm your email address',
      button: 'Create the account',
      body: [
        'Follow this link to finish creating your mokuroku account. It works once, for 30 minutes.',
        '{link}',
        '{from}',
        'If you did not ask for this, ignore this mail: no account is made without the link.',
      ],
    },
    already_registered: {
      subject: 'You have an account already',
      body: [
        'Somebody, probably you, asked for a mokuroku account with this address. There is one already: sign in with it, or reset its password.',
        '{from}',
        'If it was not you, there is nothing to do: nothing has changed.',
      ],
    },
    reset_password: {
      subject: 'Reset your password',
      button: 'Choose a new password',
      body: [
        'Follow this link to choose a new password for your mokuroku account. It works once, for 30 minutes.',
        '{link}',
        '{from}',
        'If you did not ask for this, ignore this mail: your password stays as it is.',
      ],
    },
    change_email: {
      subject: 'Confirm your new email address',
      button: 'Use this address',
      body: [
        'Follow this link to make this the address of your mokuroku account. It works once, for 30 minutes.',
        '{link}',
        '{from}',
        'If you did not ask for this, ignore this mail: nothing changes without the link.',
      ],
    },
    password_changed: {
      subject: 'Your password was changed',
      body: ['The password of your mokuroku account was changed.', '{from}', '{not_me}'],
    },
    email_changed: {
      subject: 'Your email address was changed',
      body: [
        'Your mokuroku account has another email address now. Mails to this one no longer reach it.',
        '{from}',
        '{not_me}',
      ],
    },
    email_put_back: {
      subject: 'This is no longer the address of your account',
      body: [
        'Somebody who reads the mail of the address that your mokuroku account had before says that the change to this one was not theirs. The account has the earlier address again, and everybody is signed out.',
        '{back}',
        'If the account is yours and you changed the address, write to the operator of this service.',
      ],
    },
    new_device: {
      subject: 'New sign-in to your account',
      body: [
        'Somebody signed in to your mokuroku account with a browser that was not used before.',
        '{from}',
        '{not_me}',
      ],
    },
    second_factor_changed: {
      subject: 'Your ways to sign in were changed',
      body: [
        'An authenticator app or a passkey was added to your mokuroku account or removed from it, or its recovery codes were replaced.',
        '{from}',
        '{not_me}',
      ],
    },
    app_registered: {
      subject: 'An app was registered in your account',
      body: [
        'A program was registered as an app in your mokuroku account, in the developer console or by the developer API. Readers can allow it to act for them in your name.',
        '{from}',
        '{not_me}',
      ],
    },
    deletion_requested: {
      subject: 'Your account will be deleted',
      body: [
        'You asked for your mokuroku account to be deleted. In seven days it is gone for good, with your ratings, reviews, history, collections and apps. Until then nobody sees it.',
        'To keep it, sign in within these seven days.',
        '{from}',
        '{not_me}',
      ],
    },
  },
  ja: {
    sign_up: {
      subject: 'メールアドレスの確認',
      button: 'アカウントを作成する',
      body: [
        '次のリンクを開くと、mokuroku のアカウント登録が完了します。リンクは一度だけ、30 分間有効です。',
        '{link}',
        '{from}',
        'お心当たりがない場合は、このメールを無視してください。リンクを開かない限り、アカウントは作成されません。',
      ],
    },
    already_registered: {
      subject: 'アカウントは登録済みです',
      body: [
        'このメールアドレスで mokuroku のアカウント登録が申し込まれましたが、すでに登録されています。そのままログインするか、パスワードを再設定してください。',
        '{from}',
        'お心当たりがない場合、何もする必要はありません。アカウントに変更はありません。',
      ],
    },
    reset_password: {
      subject: 'パスワードの再設定',
      button: '新しいパスワードを設定する',
      body: [
        '次のリンクを開いて、mokuroku のアカウントの新しいパスワードを設定してください。リンクは一度だけ、30 分間有効です。',
        '{link}',
        '{from}',
        'お心当たりがない場合は、このメールを無視してください。パスワードは変わりません。',
      ],
    },
    change_email: {
      subject: '新しいメールアドレスの確認',
      button: 'このアドレスを使う',
      body: [
        '次のリンクを開くと、mokuroku のアカウントのメールアドレスがこのアドレスに変わります。リンクは一度だけ、30 分間有効です。',
        '{link}',
        '{from}',
        'お心当たりがない場合は、このメールを無視してください。リンクを開かない限り、何も変わりません。',
      ],
    },
    password_changed: {
      subject: 'パスワードが変更されました',
      body: ['mokuroku のアカウントのパスワードが変更されました。', '{from}', '{not_me}'],
    },
    email_changed: {
      subject: 'メールアドレスが変更されました',
      body: [
        'mokuroku のアカウントのメールアドレスが変更されました。今後、このアドレスにメールは届きません。',
        '{from}',
        '{not_me}',
      ],
    },
    email_put_back: {
      subject: 'アカウントのアドレスではなくなりました',
      body: [
        'mokuroku のアカウントの以前のメールアドレスを受信できる方から、このアドレスへの変更に心当たりがないとの申し出がありました。アカウントは以前のアドレスに戻り、すべてのデバイスからログアウトしました。',
        '{back}',
        'ご自身のアカウントで、アドレスを変更したのもご自身でしたら、このサービスの運営者に連絡してください。',
      ],
    },
    new_device: {
      subject: '新しいブラウザーからのログイン',
      body: [
        'これまで使われたことのないブラウザーから、mokuroku のアカウントへのログインがありました。',
        '{from}',
        '{not_me}',
      ],
    },
    second_factor_changed: {
      subject: 'ログイン方法が変更されました',
      body: [
        'mokuroku のアカウントで、認証アプリやパスキーが追加または削除されたか、リカバリーコードが新しくなりました。',
        '{from}',
        '{not_me}',
      ],
    },
    app_registered: {
      subject: 'アカウントにアプリが登録されました',
      body: [
        'mokuroku のアカウントに、開発者コンソールまたは開発者 API から、プログラムがアプリとして登録されました。読者は、あなたの名前で公開されたこのアプリに操作を許可できます。',
        '{from}',
        '{not_me}',
      ],
    },
    deletion_requested: {
      subject: 'アカウントは削除されます',
      body: [
        'mokuroku のアカウントの削除が申し込まれました。7 日後に、評価、レビュー、履歴、コレクション、登録したアプリとともに完全に削除されます。それまでの間、ほかの人には表示されません。',
        '削除をやめるには、7 日以内にログインしてください。',
        '{from}',
        '{not_me}',
      ],
    },
  },
  'zh-Hans': {
    sign_up: {
      subject: '确认你的邮箱地址',
      button: '创建账号',
      body: [
        '打开以下链接即可完成 mokuroku 账号注册。链接只能使用一次，30 分钟内有效。',
        '{link}',
        '{from}',
        '如果这不是你本人的操作，请忽略本邮件：不打开链接就不会创建账号。',
      ],
    },
    already_registered: {
      subject: '你已有账号',
      body: [
        '有人（可能是你本人）用这个邮箱地址申请注册 mokuroku 账号，但该地址已有账号：请直接登录，或重置密码。',
        '{from}',
        '如果这不是你本人的操作，无需任何处理：账号没有任何变化。',
      ],
    },
    reset_password: {
      subject: '重置密码',
      button: '设置新密码',
      body: [
        '打开以下链接，为你的 mokuroku 账号设置新密码。链接只能使用一次，30 分钟内有效。',
        '{link}',
        '{from}',
        '如果这不是你本人的操作，请忽略本邮件：密码不会改变。',
      ],
    },
    change_email: {
      subject: '确认新的邮箱地址',
      button: '使用此地址',
      body: [
        '打开以下链接，将此地址设为你的 mokuroku 账号的邮箱。链接只能使用一次，30 分钟内有效。',
        '{link}',
        '{from}',
        '如果这不是你本人的操作，请忽略本邮件：不打开链接就不会有任何改变。',
      ],
    },
    password_changed: {
      subject: '你的密码已更改',
      body: ['你的 mokuroku 账号的密码已更改。', '{from}', '{not_me}'],
    },
    email_changed: {
      subject: '你的邮箱地址已更改',
      body: ['你的 mokuroku 账号的邮箱地址已更改，此地址今后不再收到相关邮件。', '{from}', '{not_me}'],
    },
    email_put_back: {
      subject: '此地址不再是你账号的邮箱',
      body: [
        '能够收取你的 mokuroku 账号原邮箱邮件的人表示，将邮箱改为此地址并非其本人操作。账号已恢复原来的邮箱，所有设备均已退出登录。',
        '{back}',
        '如果账号属于你，并且是你本人更改了邮箱，请联系本服务的运营者。',
      ],
    },
    new_device: {
      subject: '你的账号有新的登录',
      body: ['有人用从未使用过的浏览器登录了你的 mokuroku 账号。', '{from}', '{not_me}'],
    },
    second_factor_changed: {
      subject: '你的登录方式已更改',
      body: ['你的 mokuroku 账号添加或移除了身份验证器或通行密钥，或更换了恢复码。', '{from}', '{not_me}'],
    },
    app_registered: {
      subject: '你的账号登记了一个应用',
      body: [
        '有程序通过开发者控制台或开发者 API 登记为你的 mokuroku 账号的应用。读者可以授权这个以你的名义发布的应用代其操作。',
        '{from}',
        '{not_me}',
      ],
    },
    deletion_requested: {
      subject: '你的账号将被删除',
      body: [
        '你申请了删除 mokuroku 账号。七天后，账号连同评分、评论、历史、收藏夹和登记的应用将永久消失。在此之前，其他人看不到你的账号。',
        '如要保留账号，请在七天内登录。',
        '{from}',
        '{not_me}',
      ],
    },
  },
}

/** What `{from}` names. */
/** `back`: the address that an account has again. */
export const FACTS: Record<Language, { device: string; address: string; time: string; back: string }> = {
  en: { device: 'Device', address: 'IP address', time: 'Time', back: 'Address of the account' },
  ja: { device: 'デバイス', address: 'IP アドレス', time: '日時', back: 'アカウントのアドレス' },
  'zh-Hans': { device: '设备', address: 'IP 地址', time: '时间', back: '账号的邮箱' },
}

/** What `{not_me}` says: `back` to an address that the account has no more, `without` where the account is gone. */
export const NOT_ME: Record<Language, { text: string; back: string; button: string; without: string }> = {
  en: {
    text: 'If it was not you: this link signs you out everywhere, removes what was added since to sign in with and the apps allowed since, disables the apps registered since, makes the old password useless and asks you for a new one. It works once, for seven days.',
    back: 'If it was not you: this link makes this the address of your account again, signs out everywhere and removes what was added since. Then we send you a mail to choose a new password. It works once, for seven days.',
    button: 'This was not me',
    without: 'If it was not you, reset your password at once and end all sessions on your account page.',
  },
  ja: {
    text: 'お心当たりがない場合は、次のリンクを開いてください。すべてのデバイスからログアウトし、それ以降に追加されたログイン方法とアプリへの許可を削除し、それ以降に登録されたアプリを無効にし、今のパスワードを無効にして、新しいパスワードを設定できます。リンクは一度だけ、7 日間有効です。',
    back: 'お心当たりがない場合は、次のリンクを開いてください。アカウントのアドレスをこのアドレスに戻し、すべてのデバイスからログアウトし、それ以降に追加されたものを削除します。続けて、新しいパスワードを設定するためのメールをお送りします。リンクは一度だけ、7 日間有効です。',
    button: '自分ではありません',
    without:
      'お心当たりがない場合は、すぐにパスワードを再設定し、アカウントページですべてのセッションを終了してください。',
  },
  'zh-Hans': {
    text: '如果这不是你本人的操作，请打开以下链接：它会让你在所有设备上退出登录，移除此后添加的登录方式和应用授权，停用此后登记的应用，使旧密码失效，并请你设置新密码。链接只能使用一次，七天内有效。',
    back: '如果这不是你本人的操作，请打开以下链接：它会把账号的邮箱改回此地址，让所有设备退出登录，并移除此后添加的内容。随后我们会发邮件请你设置新密码。链接只能使用一次，七天内有效。',
    button: '不是我本人',
    without: '如果这不是你本人的操作，请立即重置密码，并在账号页面结束所有会话。',
  },
}
