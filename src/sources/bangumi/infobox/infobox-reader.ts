import type { Edition, Label } from '../../records/record-fields.ts'
import { parseInfobox, type Infobox, type InfoboxItem } from './infobox.ts'

const WEB_ADDRESS = /https?:\/\/[^\s、，）)】\]]+/
/** Matches a value that is an address without a scheme (`example.jp`), or contains one that starts with `www.`. */
const BARE_ADDRESS =
  /^(?:[a-z0-9-]{1,63}\.){1,4}[a-z]{2,24}(?:\/[^\s、，）)】\]]*)?$|(?<![\w.@/-])www\.[^\s、，（(）)】\]]+/i
/** Labels of links that lead to the thing's own site; an unlabelled link most likely does. */
const OFFICIAL = /^(|官网|官方网站|主页|HP|公式.*|Official.*)$/i

/**
 * Reads an infobox key by key and remembers what was asked for, so that what no field wanted can become labels.
 * Over an infobox that could not be parsed (`isMalformed`) it answers as over an empty one.
 */
export class InfoboxReader {
  readonly isMalformed: boolean
  readonly #infobox: Infobox
  readonly #taken = new Set<string>()

  constructor(text: string) {
    const infobox = parseInfobox(text)
    this.isMalformed = infobox === undefined
    this.#infobox = infobox ?? { type: '', fields: [] }
  }

  /** The values of the keys, key after key as given, without empty ones. */
  items(...keys: string[]): InfoboxItem[] {
    return keys.flatMap((wanted) => {
      this.#taken.add(wanted)
      return this.#itemsOf(wanted)
    })
  }

  #itemsOf(wanted: string): InfoboxItem[] {
    return this.#infobox.fields
      .filter(({ key }) => key === wanted)
      .flatMap(({ items }) => items)
      .filter(({ value }) => value !== '')
  }

  /** The same of keys that may stand together: `企划/原作` is both. */
  joinedItems(...keys: string[]): InfoboxItem[] {
    return keys.flatMap((wanted) =>
      this.#infobox.fields
        .filter(({ key }) => key.split(/[/／、]/).some((part) => part.trim() === wanted))
        .flatMap(({ key }) => this.items(key)),
    )
  }

  values(...keys: string[]): string[] {
    return this.items(...keys).map(({ value }) => value)
  }

  first(...keys: string[]): string | undefined {
    return this.values(...keys)[0]
  }

  /** The first thing that a parser can read out of the keys' values. */
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

  /** `版本:LABEL={ [k|v] … }` blocks, each as written; values without a key are not part of an edition's fields. */
  editions(): Edition[] {
    return this.#infobox.fields
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

  /** What was not asked for until now. A labelled value of a list of links (`[X|https://…]`) has its label as key. */
  leftovers(): Label[] {
    return this.#infobox.fields
      .filter(({ key }) => key !== '' && !this.#taken.has(key))
      .flatMap(({ key, items }) =>
        items.map(({ label, value }) => ({
          key: label === '' || key !== '链接' ? key : label,
          value,
        })),
      )
      .filter(({ value }) => value !== '')
  }

  /** Returns the web addresses and labels of the list of links, in order. */
  links(): { label: string; address: string }[] {
    return this.#itemsOf('链接').flatMap(({ label, value }) => {
      const address = WEB_ADDRESS.exec(value)?.[0]
      return address === undefined ? [] : [{ label, address }]
    })
  }

  /** The web addresses of all fields, those in the list of links first; whoever else reads a field still may. */
  addresses(): string[] {
    const values = this.#infobox.fields.flatMap(({ items }) => items.map(({ value }) => value))
    return [
      ...this.links().map(({ address }) => address),
      ...values.flatMap((value) => WEB_ADDRESS.exec(value)?.[0] ?? []),
    ]
  }

  /**
   * Returns the first web address in the values of the keys, even after other text (`PC: http://…`), or in a list of links. A value of the
   * keys may leave out the scheme.
   */
  officialSite(...keys: string[]): string | undefined {
    const links = this.#itemsOf('链接').filter(({ label }) => OFFICIAL.test(label))
    const stated = this.values(...keys)
    const [address] = [...stated, ...links.map(({ value }) => value)].flatMap(
      (value) => WEB_ADDRESS.exec(value)?.[0] ?? [],
    )
    const [bare] = stated.flatMap((value) => BARE_ADDRESS.exec(value.trim())?.[0] ?? [])
    return address ?? (bare === undefined ? undefined : `http://${bare}`)
  }
}
