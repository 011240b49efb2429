import type { Edition, Label } from '../../records/record-fields.ts'
import { parseInfobox, type InfoboxField, type InfoboxItem } from './infobox.ts'

const WEB_URL = /https?:\/\/[^\s、，）)】\]]+/
/** Matches a value that is a URL without a scheme (`example.jp`), or contains one that starts with `www.`. */
const URL_WITHOUT_SCHEME =
  /^(?:[a-z0-9-]{1,63}\.){1,4}[a-z]{2,24}(?:\/[^\s、，）)】\]]*)?$|(?<![\w.@/-])www\.[^\s、，（(）)】\]]+/i
/** Labels of links to an official site. A link without a label is most likely one. */
const OFFICIAL_LABEL = /^(|官网|官方网站|主页|HP|公式.*|Official.*)$/i

/**
 * Reads an infobox by key and tracks which keys were read, so that the remaining fields can become labels. A malformed
 * infobox (`isMalformed`) is treated as empty.
 */
export class InfoboxReader {
  readonly isMalformed: boolean
  readonly #fields: InfoboxField[]
  readonly #taken = new Set<string>()

  constructor(text: string) {
    const fields = parseInfobox(text)
    this.isMalformed = fields === undefined
    this.#fields = fields ?? []
  }

  /** Returns the non-empty values of the keys, in the order of the keys. */
  items(...keys: string[]): InfoboxItem[] {
    return keys.flatMap((key) => {
      this.#taken.add(key)
      return this.#itemsOf(key)
    })
  }

  #itemsOf(name: string): InfoboxItem[] {
    return this.#fields
      .filter(({ key }) => key === name)
      .flatMap(({ items }) => items)
      .filter(({ value }) => value !== '')
  }

  /** Like `items`, but also matches keys that are combined with other keys, such as `企划/原作`. */
  joinedItems(...keys: string[]): InfoboxItem[] {
    return keys.flatMap((name) =>
      this.#fields
        .filter(({ key }) => key.split(/[/／、]/).some((part) => part.trim() === name))
        .flatMap(({ key }) => this.items(key)),
    )
  }

  values(...keys: string[]): string[] {
    return this.items(...keys).map(({ value }) => value)
  }

  first(...keys: string[]): string | undefined {
    return this.values(...keys)[0]
  }

  parse<Result>(
    parser: (value: string) => Result | undefined,
    ...keys: string[]
  ): Result | undefined {
    for (const value of this.values(...keys)) {
      const result = parser(value)
      if (result !== undefined) return result
    }
    return undefined
  }

  /** Returns the blocks `版本:LABEL={ [k|v] … }` as written. Values without a key are dropped. */
  editions(): Edition[] {
    return this.#fields
      .filter(({ key, isList }) => isList && key.startsWith('版本:'))
      .map(({ key, items }) => ({
        label: key.slice('版本:'.length).trim(),
        fields: Object.fromEntries(
          items
            .filter(({ label, value }) => label !== '' && value !== '')
            .map(({ label, value }) => [label, value]),
        ),
      }))
  }

  /** Returns the fields that have not been read yet. The key of a labeled link (`[X https://…]`) is its label. */
  leftovers(): Label[] {
    return this.#fields
      .filter(({ key }) => key !== '' && !this.#taken.has(key))
      .flatMap(({ key, items }) =>
        items.map(({ label, value }) => ({
          key: label === '' || key !== '链接' ? key : label,
          value,
        })),
      )
      .filter(({ value }) => value !== '')
  }

  /** Returns the URLs and labels in the list of links, in order. */
  links(): { label: string; url: string }[] {
    return this.#itemsOf('链接').flatMap(({ label, value }) => {
      const url = WEB_URL.exec(value)?.[0]
      return url === undefined ? [] : [{ label, url }]
    })
  }

  /** Returns the URLs in all fields, those in the list of links first. Does not mark the fields as read. */
  urls(): string[] {
    const values = this.#fields.flatMap(({ items }) => items.map(({ value }) => value))
    return [
      ...this.links().map(({ url }) => url),
      ...values.flatMap((value) => WEB_URL.exec(value)?.[0] ?? []),
    ]
  }

  /**
   * Returns the first URL in the values of the keys, even if it follows other text (`PC: http://…`), or in the list of
   * links. URLs in values may lack the scheme.
   */
  officialSite(...keys: string[]): string | undefined {
    const links = this.#itemsOf('链接').filter(({ label }) => OFFICIAL_LABEL.test(label))
    const stated = this.values(...keys)
    const [url] = [...stated, ...links.map(({ value }) => value)].flatMap(
      (value) => WEB_URL.exec(value)?.[0] ?? [],
    )
    const [bare] = stated.flatMap((value) => URL_WITHOUT_SCHEME.exec(value.trim())?.[0] ?? [])
    return url ?? (bare === undefined ? undefined : `http://${bare}`)
  }
}
