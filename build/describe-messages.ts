import { writeFile } from 'node:fs/promises'
import { readLocale } from '../src/i18n/locales.ts'
import { parseMessage, argumentsIn } from '../src/i18n/message-arguments.ts'
import type { MessageTexts } from '../src/i18n/message-tree.ts'
import { CONSTANTS, MESSAGE_FILES } from '../src/ui/messages.ts'

const DESCRIBED = new URL('../src/ui/message-values.ts', import.meta.url)

/** Import path of the markup type, relative to the generated file. */
const HTML = './html.ts'

const TYPES = { text: 'string | number', number: 'number', moment: 'Date', tag: 'Tag' }

/** Returns the text of `message-values.ts`: the values that each English message takes. */
export function describeMessages(): string {
  const lines = MESSAGE_FILES.flatMap((name) => linesOf(readLocale('en', name), ''))
  const [markup, text] = [true, false].map((isMarkup) =>
    lines.filter((line) => line.includes(': Tag') === isMarkup),
  )
  return [
    '// Generated from the English messages by npm run messages.',
    `import type { Html } from '${HTML}'\n`,
    'type Tag = (inner: Html) => Html\n',
    '/** Values of the messages that are text. */',
    `export type TextValues = {\n${text?.join('\n')}\n}\n`,
    '/** Values of the messages with tags. */',
    `export type MarkupValues = {\n${markup?.join('\n')}\n}\n`,
  ].join('\n')
}

const linesOf = (texts: MessageTexts, path: string): string[] =>
  Object.entries(texts).flatMap(([key, value]) => {
    if (Array.isArray(value)) return []
    if (typeof value !== 'string') return linesOf(value, `${path}${key}.`)
    const named = new Map(
      argumentsIn(parseMessage(value))
        .filter(({ name }) => !CONSTANTS.includes(name))
        .map(({ name, kind }) => [name, `${name}: ${TYPES[kind]}`]),
    )
    return named.size === 0 ? [] : [`  '${path}${key}': { ${[...named.values()].join('; ')} }`]
  })

if (import.meta.main) await writeFile(DESCRIBED, describeMessages())
