import { IntlMessageFormat } from 'intl-messageformat'
import type { Language } from './languages.ts'

/** A message by its code, with the values that it names. Modules pass these on; only what answers a reader renders them. */
export type Coded<Code extends string> = {
  readonly code: Code
  readonly params?: Readonly<Record<string, string | number>>
}

/**
 * Makes the renderer of some messages.
 *
 * @param texts by language and code, in ICU MessageFormat
 * @throws {Error} while rendering, when a message names a value that the parameters lack
 */
export function catalogue<Available extends Language, Code extends string>(
  texts: Readonly<Record<Available, Readonly<Record<Code, string>>>>,
): (language: Available, message: Coded<Code>) => string {
  const formats = new Map<string, IntlMessageFormat>()
  return (language, { code, params }) => {
    const key = `${language} ${code}`
    // Tags are left alone: what readers see is text, and `html` escapes it.
    const format =
      formats.get(key) ??
      new IntlMessageFormat(texts[language][code], language, undefined, { ignoreTag: true })
    formats.set(key, format)
    return String(format.format(params))
  }
}
