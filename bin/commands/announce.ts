import { Command } from 'commander'
import {
  announce,
  endAnnouncement,
  findAnnouncement,
  MAX_ANNOUNCEMENT,
  textsIn,
} from '../../src/instance/announcement-queries.ts'
import { interval } from '../../src/config/setting-readers.ts'
import { findLanguage, LANGUAGES } from '../../src/i18n/languages.ts'
import { JSON_OPTION, print, type PrintOptions } from '../print.ts'
import { UsageError } from '../usage-error.ts'
import { withDatabase } from '../with-database.ts'

const HELP = `
The text is in DEFAULT_LANGUAGE, and shown to everyone who reads no language of
--in. It replaces the present announcement within a second in every process.
Without a text, the command prints the announcement that is shown.

Examples:
  mokuroku announce "Maintenance tonight at 22:00 UTC." --until 12h
  mokuroku announce "Maintenance tonight." --in "ja=今夜メンテナンスを行います。"
  mokuroku announce --end`

export const announceCommand = () =>
  new Command('announce')
    .argument('[text]', `the announcement, up to ${MAX_ANNOUNCEMENT} characters`)
    .option('--in <language=text>', 'a translation; may be repeated', gather, [])
    .option('--until <time>', 'when it ends: 90m, 12h, 3d, or 2026-12-31T22:00Z')
    .option('--end', 'end the present announcement')
    .option(...JSON_OPTION)
    .addHelpText('after', HELP)
    .action(run)

const gather = (value: string, earlier: string[]) => [...earlier, value]

type Options = PrintOptions & { in: string[]; until?: string; end?: boolean }

async function run(text: string | undefined, options: Options) {
  if (text === undefined && options.in.length > 0) throw new UsageError('--in needs a text.')
  if (options.end && text !== undefined) throw new UsageError('--end takes no text.')
  if (options.end) {
    const isEnded = await withDatabase((db) => endAnnouncement(db))
    return print(options, { ended: isEnded }, [
      isEnded ? 'The announcement has ended.' : 'There is no announcement.',
    ])
  }
  if (text === undefined) {
    const shown = await withDatabase((db) => findAnnouncement(db))
    return print(options, shown ?? null, shown ? describe(shown) : ['There is no announcement.'])
  }
  const translations = options.in.map(readTranslation)
  const endsAt = options.until === undefined ? undefined : readEnd(options.until)
  await withDatabase(async (db, { defaultLanguage }) => {
    const texts = textsIn(Object.fromEntries([...translations, [defaultLanguage, text]]))
    if (texts[defaultLanguage] === undefined) throw new UsageError('The text is empty.')
    for (const [language, value] of Object.entries(texts))
      if ([...value].length > MAX_ANNOUNCEMENT)
        throw new UsageError(
          `The text in ${language} has more than ${MAX_ANNOUNCEMENT} characters.`,
        )
    await announce(db, { texts, endsAt })
    print(
      options,
      { texts, endsAt: endsAt ?? null },
      describe({ texts, ...(endsAt && { endsAt }) }),
    )
  })
}

const describe = ({ texts, endsAt }: { texts: object; endsAt?: Date }) => [
  ...Object.entries(texts).map(([language, text]) => `${language}: ${text}`),
  endsAt ? `Shown until ${endsAt.toISOString()}.` : 'Shown until it is ended.',
]

function readTranslation(pair: string): [string, string] {
  const [name, ...rest] = pair.split('=')
  const language = findLanguage(name)
  const text = rest.join('=')
  if (language === undefined || text.trim() === '')
    throw new UsageError(`--in needs LANGUAGE=TEXT, with a language of ${LANGUAGES.join(', ')}.`)
  return [language, text]
}

/** Reads a time, or the time from now until it. */
function readEnd(value: string): Date {
  const isDate = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}/.test(value)
  let end = isDate ? Date.parse(value) : Number.NaN
  try {
    const length = isDate ? 'off' : interval(value)
    if (length !== 'off') end = Date.now() + length
  } catch {
    // Reported below.
  }
  if (!(end > Date.now()))
    throw new UsageError('--until needs a time in the future: 90m, 12h, 3d, or 2026-12-31T22:00Z.')
  return new Date(end)
}
