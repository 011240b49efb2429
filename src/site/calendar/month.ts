import { LANGUAGE_FACTS, type Language } from '../../i18n/languages.ts'

/** First and last month of the calendar, `YYYY-MM`. */
export const MIN_MONTH = '1970-01'
export const MAX_MONTH = '2099-12'

const DAY_MS = 86_400_000

/** Parses a month of the calendar, `YYYY-MM`. */
export const parseMonth = (text: string): string | undefined =>
  /^\d{4}-(?:0[1-9]|1[0-2])$/.test(text) && text >= MIN_MONTH && text <= MAX_MONTH
    ? text
    : undefined

/** Parses a day of the calendar, `YYYY-MM-DD`. */
export const parseDay = (text: string): string | undefined =>
  /^\d{4}-\d\d-\d\d$/.test(text) &&
  parseMonth(text.slice(0, 7)) !== undefined &&
  daysIn(text.slice(0, 7)).includes(text)
    ? text
    : undefined

/** Adds a number of months to a month. */
export function addMonths(month: string, amount: number): string {
  const [year = 0, number = 1] = month.split('-').map(Number)
  return new Date(Date.UTC(year, number - 1 + amount)).toISOString().slice(0, 7)
}

/** Adds a number of days to a day. */
export const addDays = (day: string, amount: number): string =>
  new Date(Date.parse(day) + amount * DAY_MS).toISOString().slice(0, 10)

/** Lists the days of a month. */
export function daysIn(month: string): string[] {
  const first = Date.parse(`${month}-01`)
  const amount = (Date.parse(`${addMonths(month, 1)}-01`) - first) / DAY_MS
  return Array.from({ length: amount }, (_, index) => addDays(`${month}-01`, index))
}

const localeOf = (language: Language) => LANGUAGE_FACTS[language].dates ?? language

/** Returns the column of a day in the month grid, from 1 to 7. The language determines the first day of the week. */
export function columnOf(language: Language, day: string): number {
  const { firstDay } = new Intl.Locale(localeOf(language)).getWeekInfo()
  return ((new Date(day).getUTCDay() - firstDay + 7) % 7) + 1
}

/** Returns the formats of a calendar in a language. */
export function calendarFormats(language: Language) {
  const format = (options: Intl.DateTimeFormatOptions) => {
    const { format: write } = new Intl.DateTimeFormat(localeOf(language), {
      ...options,
      timeZone: 'UTC',
    })
    return (day: string) => write(new Date(day))
  }
  return {
    month: format({ year: 'numeric', month: 'long' }),
    day: format({ weekday: 'short', day: 'numeric' }),
    wholeDay: format({ dateStyle: 'full' }),
  }
}

/** Returns the current day in a time zone. */
export const todayIn = (timeZone: string | undefined, now: number): string =>
  new Intl.DateTimeFormat('sv-SE', { dateStyle: 'short', timeZone: timeZone ?? 'UTC' }).format(now)
