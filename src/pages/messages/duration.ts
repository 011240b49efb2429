import type { Language } from '../../i18n/languages.ts'

/** How long to wait, in words: from two minutes on in whole minutes, rounded up. */
export const duration: Record<Language, (seconds: number) => string> = {
  en: (seconds) => (isLong(seconds) ? counted(toMinutes(seconds), 'minute') : counted(seconds, 'second')),
  ja: (seconds) => (isLong(seconds) ? `${toMinutes(seconds)}分` : `${seconds}秒`),
  'zh-Hans': (seconds) => (isLong(seconds) ? `${toMinutes(seconds)} 分钟` : `${seconds} 秒`),
}

const isLong = (seconds: number) => seconds >= 120
const toMinutes = (seconds: number) => Math.ceil(seconds / 60)

/** A number with its English noun: 1 minute, 2 minutes. */
export const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`
