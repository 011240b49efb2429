import type { Language } from '../../i18n/languages.ts'
import { toLetter, type Letter, type LetterPart } from './letter.ts'

export const MODERATION_MAILS = [
  'content_hidden',
  'content_restored',
  'appeal_rejected',
  'account_banned',
  'account_unbanned',
  'factors_removed',
  'sessions_ended',
  'app_disabled',
  'app_enabled',
  'app_limited',
  'role_changed',
] as const
export type ModerationMailKind = (typeof MODERATION_MAILS)[number]

export type ModerationDetails = {
  /** Of what was hidden its kind; of an app its name. */
  what?: string
  /** What those who did it say; empty: it takes back what was done before. */
  note: string
  /** `mailto:` or https, for who cannot sign in any more. */
  contact?: string
  /** The role somebody has now; null: none any more. */
  role?: string | null
  /** Requests a minute that an app has now; null: as many as any other. */
  limit?: number | null
}

export const isModerationMail = (kind: string): kind is ModerationMailKind =>
  MODERATION_MAILS.some((known) => known === kind)

type Text = { subject: string; body: string; objection: 'appeal' | 'contact' | 'amends' }
type Words = {
  things: Record<string, string>
  texts: Record<ModerationMailKind, Text>
  /** Before what a person has written. */
  reason: string
  /** Of an act that takes back another and has no reason of its own. */
  undone: string
  role: string
  roles: Record<'none' | 'MODERATOR' | 'ADMIN', string>
  limit: string
  /** Of an app without a limit of its own. */
  usual: string
  /** On the button that leads to where one objects. */
  object: string
  objections: Record<Text['objection'], string>
}

const WORDS: Record<Language, Words> = {
  en: {
    things: { REVIEW: 'review', PICTURE: 'picture', PROFILE: 'profile' },
    reason: 'Reason',
    undone: 'What was done before was taken back.',
    role: 'Role',
    roles: { none: 'none', MODERATOR: 'moderator', ADMIN: 'administrator' },
    limit: 'Requests a minute',
    usual: 'as many as any other app',
    object: 'Object',
    objections: {
      appeal:
        'If you do not agree, you can object; somebody else looks at it again, where there is somebody.',
      contact: 'If you do not agree, write to {contact}.',
      amends: 'If something about it is not right, write to {contact}.',
    },
    texts: {
      content_hidden: {
        subject: 'Your {what} was hidden',
        body: 'A moderator of mokuroku has hidden your {what}. Nobody but you sees it now.',
        objection: 'appeal',
      },
      content_restored: {
        subject: 'Your {what} is there again',
        body: 'Your {what} on mokuroku is shown again.',
        objection: 'amends',
      },
      appeal_rejected: {
        subject: 'Your {what} stays hidden',
        body: 'We have looked again at your {what} on mokuroku, and it stays hidden.',
        objection: 'contact',
      },
      account_banned: {
        subject: 'Your account was banned',
        body: 'Your mokuroku account was banned: you cannot sign in, and what you have written is shown to nobody.',
        objection: 'contact',
      },
      account_unbanned: {
        subject: 'Your account is open again',
        body: 'The ban of your mokuroku account was lifted. You can sign in again.',
        objection: 'amends',
      },
      factors_removed: {
        subject: 'Your second factors were removed',
        body: 'An administrator has removed the authenticator app, passkeys and recovery codes of your mokuroku account. The password alone signs in now; set them up anew.',
        objection: 'contact',
      },
      sessions_ended: {
        subject: 'You were signed out everywhere',
        body: 'An administrator has ended every session of your mokuroku account.',
        objection: 'contact',
      },
      app_disabled: {
        subject: 'Your app {what} was disabled',
        body: 'An administrator has disabled your app {what}. It gets no tokens, and those it has are refused.',
        objection: 'contact',
      },
      app_enabled: {
        subject: 'Your app {what} works again',
        body: 'Your app {what} is enabled again.',
        objection: 'amends',
      },
      app_limited: {
        subject: 'The limit of your app {what} was changed',
        body: 'An administrator has changed how many requests a minute your app {what} may make.',
        objection: 'contact',
      },
      role_changed: {
        subject: 'Your role was changed',
        body: 'An administrator has changed what your mokuroku account may do at the desk.',
        objection: 'contact',
      },
    },
  },
  ja: {
    things: { REVIEW: 'レビュー', PICTURE: '画像', PROFILE: 'プロフィール' },
    reason: '理由',
    undone: '以前の操作を取り消しました。',
    role: '役割',
    roles: { none: 'なし', MODERATOR: 'モデレーター', ADMIN: '管理者' },
    limit: '1 分あたりのリクエスト数',
    usual: 'ほかのアプリと同じ',
    object: '異議を申し立てる',
    objections: {
      appeal:
        '同意できない場合は、次のページから異議を申し立てることができます。可能な限り別の担当者が確認します。',
      contact: '同意できない場合は、{contact} までご連絡ください。',
      amends: '問題がある場合は、{contact} までご連絡ください。',
    },
    texts: {
      content_hidden: {
        subject: 'あなたの{what}が非表示になりました',
        body: 'mokuroku のモデレーターがあなたの{what}を非表示にしました。現在はあなた以外には表示されません。',
        objection: 'appeal',
      },
      content_restored: {
        subject: 'あなたの{what}が再び表示されました',
        body: 'mokuroku のあなたの{what}が再び表示されるようになりました。',
        objection: 'amends',
      },
      appeal_rejected: {
        subject: 'あなたの{what}は非表示のままです',
        body: 'mokuroku のあなたの{what}を再度確認しましたが、非表示のままとなります。',
        objection: 'contact',
      },
      account_banned: {
        subject: 'アカウントが利用停止になりました',
        body: 'mokuroku のアカウントが利用停止になりました。ログインできず、書いた内容は誰にも表示されません。',
        objection: 'contact',
      },
      account_unbanned: {
        subject: 'アカウントの利用停止が解除されました',
        body: 'mokuroku のアカウントの利用停止が解除されました。再びログインできます。',
        objection: 'amends',
      },
      factors_removed: {
        subject: '二段階認証が解除されました',
        body: '管理者があなたのアカウントの認証アプリ、パスキー、リカバリーコードを削除しました。現在はパスワードだけでログインできます。改めて設定してください。',
        objection: 'contact',
      },
      sessions_ended: {
        subject: 'すべてのデバイスからログアウトしました',
        body: '管理者があなたのアカウントのすべてのセッションを終了しました。',
        objection: 'contact',
      },
      app_disabled: {
        subject: 'アプリ {what} が無効になりました',
        body: '管理者があなたのアプリ {what} を無効にしました。新しいトークンは発行されず、既存のトークンも拒否されます。',
        objection: 'contact',
      },
      app_enabled: {
        subject: 'アプリ {what} が有効になりました',
        body: 'あなたのアプリ {what} が再び有効になりました。',
        objection: 'amends',
      },
      app_limited: {
        subject: 'アプリ {what} の上限が変更されました',
        body: '管理者があなたのアプリ {what} の 1 分あたりのリクエスト数の上限を変更しました。',
        objection: 'contact',
      },
      role_changed: {
        subject: '役割が変更されました',
        body: '管理者があなたのアカウントの管理デスクでの役割を変更しました。',
        objection: 'contact',
      },
    },
  },
  'zh-Hans': {
    things: { REVIEW: '评论', PICTURE: '图片', PROFILE: '主页' },
    reason: '原因',
    undone: '撤销了之前的操作。',
    role: '角色',
    roles: { none: '无', MODERATOR: '版主', ADMIN: '管理员' },
    limit: '每分钟请求数',
    usual: '与其他应用相同',
    object: '提出申诉',
    objections: {
      appeal: '如果你不同意，可以在以下页面提出申诉，我们会尽可能由另一位管理人员复核。',
      contact: '如果你不同意，请联系 {contact}。',
      amends: '如果仍有问题，请联系 {contact}。',
    },
    texts: {
      content_hidden: {
        subject: '你的{what}已被隐藏',
        body: 'mokuroku 的版主隐藏了你的{what}，现在只有你自己能看到。',
        objection: 'appeal',
      },
      content_restored: {
        subject: '你的{what}已恢复显示',
        body: '你在 mokuroku 上的{what}已恢复显示。',
        objection: 'amends',
      },
      appeal_rejected: {
        subject: '你的{what}仍保持隐藏',
        body: '我们重新查看了你在 mokuroku 上的{what}，决定继续隐藏。',
        objection: 'contact',
      },
      account_banned: {
        subject: '你的账号已被封禁',
        body: '你的 mokuroku 账号已被封禁：你无法登录，你写的内容不会显示给任何人。',
        objection: 'contact',
      },
      account_unbanned: {
        subject: '你的账号已解封',
        body: '你的 mokuroku 账号已解除封禁，可以重新登录。',
        objection: 'amends',
      },
      factors_removed: {
        subject: '你的两步验证已被移除',
        body: '管理员移除了你账号的身份验证器、通行密钥和恢复码。现在只需密码即可登录，请重新设置。',
        objection: 'contact',
      },
      sessions_ended: {
        subject: '你已在所有设备上退出登录',
        body: '管理员结束了你账号的所有会话。',
        objection: 'contact',
      },
      app_disabled: {
        subject: '你的应用 {what} 已被停用',
        body: '管理员停用了你的应用 {what}。它无法获得新的令牌，已有的令牌也会被拒绝。',
        objection: 'contact',
      },
      app_enabled: {
        subject: '你的应用 {what} 已恢复使用',
        body: '你的应用 {what} 已重新启用。',
        objection: 'amends',
      },
      app_limited: {
        subject: '你的应用 {what} 的上限已更改',
        body: '管理员更改了你的应用 {what} 每分钟的请求上限。',
        objection: 'contact',
      },
      role_changed: {
        subject: '你的角色已更改',
        body: '管理员更改了你的账号在管理台的角色。',
        objection: 'contact',
      },
    },
  },
}

/** Characters of a note in a mail; the whole of it is on the page it leads to. */
const MAX_NOTE = 1_000

/** Puts into words what was done to somebody's things, why, and how to object. */
export function composeModerationMail(
  kind: ModerationMailKind,
  language: Language,
  authUrl: string,
  details: Record<string, unknown>,
): Letter {
  const words = WORDS[language]
  const { subject, body, objection } = words.texts[kind]
  const [what, note, contact] = ['what', 'note', 'contact'].map((name) => plain(details[name]))
  const named = (what !== undefined && Object.hasOwn(words.things, what) ? words.things[what] : what) ?? ''
  const fill = (text: string) =>
    text
      .replaceAll('{what}', () => named)
      // Without an address it is the one of the service itself.
      .replaceAll('{contact}', () => (contact ?? '') || authUrl)
  const parts: LetterPart[] = [{ text: fill(body) }]
  const facts = changedTo(words, details)
  if (note !== undefined) facts.push([words.reason, note === '' ? words.undone : note])
  if (facts.length > 0) parts.push({ facts })
  parts.push({ text: fill(words.objections[objection]) })
  if (objection === 'appeal') parts.push({ link: `${authUrl}/reports`, button: words.object })
  return toLetter(language, fill(subject), parts)
}

/** What somebody may do now, or their app. */
function changedTo(words: Words, { role, limit }: Record<string, unknown>): [name: string, value: string][] {
  if (role === null || role === 'MODERATOR' || role === 'ADMIN')
    return [[words.role, words.roles[role ?? 'none']]]
  if (limit === null || typeof limit === 'number')
    return [[words.limit, limit === null ? words.usual : String(limit)]]
  return []
}

const plain = (value: unknown): string | undefined =>
  typeof value === 'string'
    ? value
        .replaceAll(/\p{Cc}+/gu, ' ')
        .slice(0, MAX_NOTE)
        .replace(/^mailto:/, '')
    : undefined
