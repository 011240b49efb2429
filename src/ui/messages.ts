import type account from '../i18n/locales/en/account.json'
import type browse from '../i18n/locales/en/browse.json'
import type community from '../i18n/locales/en/community.json'
import type console from '../i18n/locales/en/console.json'
import type desk from '../i18n/locales/en/desk.json'
import type entry from '../i18n/locales/en/entry.json'
import type frame from '../i18n/locales/en/frame.json'
import type guide from '../i18n/locales/en/guide.json'
import type imports from '../i18n/locales/en/import.json'
import type library from '../i18n/locales/en/library.json'
import type mail from '../i18n/locales/en/mail.json'
import type profile from '../i18n/locales/en/profile.json'
import type signIn from '../i18n/locales/en/sign-in.json'
import type signUp from '../i18n/locales/en/sign-up.json'
import type { Language } from '../i18n/languages.ts'
import { readLocale } from '../i18n/locales.ts'
import { messageTree } from '../i18n/message-tree.ts'
import { html, type Html } from './html.ts'
import { SOFTWARE_NAME } from './software-name.ts'
import type { MarkupValues, TextValues } from './message-values.ts'

/** Files whose message groups make up {@link Messages}. */
export const MESSAGE_FILES = [
  'account',
  'browse',
  'community',
  'console',
  'desk',
  'entry',
  'frame',
  'guide',
  'import',
  'library',
  'mail',
  'profile',
  'sign-in',
  'sign-up',
]

type English = typeof account &
  typeof browse &
  typeof community &
  typeof console &
  typeof desk &
  typeof entry &
  typeof frame &
  typeof guide &
  typeof imports &
  typeof library &
  typeof mail &
  typeof profile &
  typeof signIn &
  typeof signUp

type Rendered<Texts, Path extends string> = {
  readonly [Key in keyof Texts & string]: Texts[Key] extends string
    ? Message<`${Path}${Key}`>
    : Texts[Key] extends readonly string[]
      ? Texts[Key]
      : Rendered<Texts[Key], `${Path}${Key}.`>
}
type Message<Path> = Path extends keyof TextValues
  ? (values: TextValues[Path]) => string
  : Path extends keyof MarkupValues
    ? (values: MarkupValues[Path]) => Html
    : string

/** Messages of the pages in one language, with one group for each page. */
export type Messages = Rendered<English, ''>

/** Values that all messages may use without their callers passing them. */
export const CONSTANTS: readonly string[] = ['site']

const compiled = new Map<string, Messages>()

/**
 * Returns the messages of the pages in a language; reads their files on first use.
 *
 * @param site name of the site, for `{site}`
 */
export function messagesIn(language: Language, site: string = SOFTWARE_NAME): Messages {
  const key = `${language} ${site}`
  const known = compiled.get(key) ?? compile(language, site)
  compiled.set(key, known)
  return known
}

function compile(language: Language, site: string): Messages {
  const texts = MESSAGE_FILES.map((name) => readLocale(language, name))
  // as: the type is generated from the English files, and a test compares the other languages with
  // them
  return messageTree<Html>(
    language,
    Object.assign({}, ...texts),
    { site },
    (parts) => html`${parts}`,
  ) as Messages
}
