import { IntlMessageFormat } from 'intl-messageformat'
import { memoize } from '../kernel/async/memoize.ts'
import type { Language } from './languages.ts'
import { readLocale } from './locales.ts'

/** A message code with its values. Modules pass these on; only the code that sends a response renders them. */
export type Coded<Code extends string> = {
  readonly code: Code
  readonly params?: Readonly<Record<string, string | number>>
}

/**
 * Creates a renderer for the messages of some files in `locales/`. The renderer throws an error if a message names a
 * value that the parameters lack.
 */
export function catalogue<Code extends string>(
  ...files: string[]
): (language: Language, message: Coded<Code>) => string {
  const read = new Map<Language, ReturnType<typeof compile>>()
  return (language, { code, params }) => {
    const formatOf = read.get(language) ?? compile(language, files)
    read.set(language, formatOf)
    return String(formatOf(code).format(params))
  }
}

/** Reads the messages of a language. Each one is parsed when it is first rendered. */
function compile(language: Language, files: string[]) {
  // as: a file of codes has no groups
  const texts = Object.assign({}, ...files.map((file) => readLocale(language, file))) as Record<
    string,
    string
  >
  return memoize((code) => new IntlMessageFormat(texts[code] ?? code, language))
}
