/** Text that is HTML already and is inserted as it is. Everything else is escaped. */
export class Html {
  readonly #text: string

  /** @param text trusted markup; write `html` instead wherever a value from outside takes part */
  constructor(text: string) {
    this.#text = text
  }

  toString() {
    return this.#text
  }
}

/** What may stand in a template: arrays are joined, what is not there is left out. */
export type Part = Html | string | number | null | undefined | false | readonly Part[]

/**
 * A template whose values are escaped for text and for attributes in quotes; an attribute without quotes, an event
 * handler, a `<script>` or a `<style>` must never hold a value, nor `href` or `src` an address that was not checked.
 */
export function html(strings: TemplateStringsArray, ...parts: Part[]): Html {
  return new Html(strings.reduce((text, next, index) => text + render(parts[index - 1]) + next))
}

function render(part: Part): string {
  if (part === null || part === undefined || part === false) return ''
  if (part instanceof Html) return part.toString()
  if (typeof part === 'string' || typeof part === 'number') return escapeText(String(part))
  return part.map(render).join('')
}

const ENTITIES: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
  '`': '&#96;',
}

const escapeText = (text: string) =>
  text.replace(/[&<>"'`]/g, (character) => ENTITIES[character] ?? '')
