import { IntlMessageFormat, type FormatXMLElementFn, type PrimitiveType } from 'intl-messageformat'
import type { Language } from './languages.ts'
import { argumentsIn } from './message-arguments.ts'

/** Messages in ICU MessageFormat, under the keys that the code uses. */
export type MessageTexts = { readonly [key: string]: string | string[] | MessageTexts }

type Values<Markup> = Readonly<Record<string, string | number | ((inner: Markup) => Markup)>>

/**
 * Compiles the messages of a language.
 *
 * @param constants values that are the same in every message
 * @param join joins strings, which it escapes, and the markup of tags into markup
 * @returns the messages under the same keys: a string if a message takes no values, else a function of its values. The
 * function returns markup if the message contains tags.
 */
export function messageTree<Markup extends object>(
  language: Language,
  texts: MessageTexts,
  constants: Readonly<Record<string, string>>,
  join: (parts: readonly (string | Markup)[]) => Markup,
): Record<string, unknown> {
  const compile = (text: string) => {
    // Nine messages in ten are plain text. Skip parsing them.
    if (!/[{<']/.test(text)) return text
    const format = new IntlMessageFormat(text, language)
    const named = argumentsIn(format.getAst()).filter(({ name }) => !Object.hasOwn(constants, name))
    if (named.length === 0) return String(format.format(constants))
    const isMarkup = named.some(({ kind }) => kind === 'tag')
    return (values: Values<Markup>) => {
      const parts = Object.entries(values).map(
        ([name, value]): [string, PrimitiveType | FormatXMLElementFn<Markup>] => [
          name,
          typeof value === 'function' ? (inner) => value(join(inner)) : value,
        ],
      )
      const message = format.format<Markup>({ ...constants, ...Object.fromEntries(parts) })
      if (typeof message === 'string' && !isMarkup) return message
      return join(Array.isArray(message) ? message : [message])
    }
  }
  const render = (node: MessageTexts[string]): unknown =>
    typeof node === 'string' ? compile(node) : Array.isArray(node) ? node : renderAll(node)
  const renderAll = (node: MessageTexts): Record<string, unknown> =>
    Object.fromEntries(Object.entries(node).map(([key, value]) => [key, render(value)]))
  return renderAll(texts)
}
