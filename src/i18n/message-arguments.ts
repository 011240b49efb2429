import { IntlMessageFormat } from 'intl-messageformat'

type Elements = ReturnType<IntlMessageFormat['getAst']>

/**
 * A value that a message takes: text, a number to format or to select a plural form, a time, or a tag that produces
 * markup.
 */
export type MessageArgument = { name: string; kind: 'text' | 'number' | 'moment' | 'tag' }

/** Kinds, keyed by element type in the FormatJS parser; literal text (0) and `#` (7) take no value. */
const KINDS: Record<string, MessageArgument['kind']> = {
  1: 'text',
  2: 'number',
  3: 'moment',
  4: 'moment',
  5: 'text',
  6: 'number',
  8: 'tag',
}

/** Lists the values that a message takes, including those of its branches. Names may repeat. */
export const argumentsIn = (elements: Elements): MessageArgument[] =>
  elements.flatMap((element) => {
    const kind = KINDS[element.type]
    return [
      ...(kind && 'value' in element ? [{ name: element.value, kind }] : []),
      ...('options' in element
        ? Object.values(element.options).flatMap(({ value }) => argumentsIn(value))
        : []),
      ...('children' in element ? argumentsIn(element.children) : []),
    ]
  })

/** Parses a message for {@link argumentsIn}. */
export const parseMessage = (text: string): Elements => new IntlMessageFormat(text, 'en').getAst()
