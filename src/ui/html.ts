/** Markup that is inserted unchanged. Every other value is escaped. */
export class Html {
  readonly #text: string

  /** @param text trusted markup; use `html` for anything that contains external values */
  constructor(text: string) {
    this.#text = text
  }

  toString() {
    return this.#text
  }
}

/**
 * Value that a template accepts. Arrays are joined; `null`, `undefined` and `false` render as nothing.
 */
export type Part = Html | string | number | null | undefined | false | readonly Part[]

/**
 * Builds markup and escapes its values for text and for quoted attributes. Never insert a value into an unquoted
 * attribute, an event handler, a `<script>` or a `<style>`, nor an unchecked URL into `href` or `src`.
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
