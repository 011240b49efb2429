import { html, type Html } from '../ui/html.ts'
import { labelFor } from '../site/entry/labels.ts'

/** Renders the name of a kind next to the stored kind. Kinds from older versions have no name. */
export function kindName(names: Record<string, string>, kind: string): Html {
  const name = labelFor(names, kind)
  return name === kind ? html`<code>${kind}</code>` : html`${name} <code>${kind}</code>`
}
