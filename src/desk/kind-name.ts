import { html, type Html } from '../ui/html.ts'
import { labelFor } from '../site/entry/labels.ts'

/** What a kind is called, and beside it how it is kept; older versions kept kinds that have no name. */
export function kindName(names: Record<string, string>, kind: string): Html {
  const name = labelFor(names, kind)
  return name === kind ? html`<code>${kind}</code>` : html`${name} <code>${kind}</code>`
}
