import { html, type Html } from '../../ui/html.ts'
import type { PageContext } from '../../ui/page/page-context.ts'
import { nameLink } from './cast-view.ts'
import type { Credit } from './entry-data.ts'
import { roleName } from './labels.ts'

/** Renders credits grouped by role, in the order of each role's first credit. */
export function staffView(context: PageContext, credits: Credit[]): Html {
  const byRole = Map.groupBy(credits, ({ role }) => roleName(context.messages, role))
  return html`<dl class="staff tiles">${[...byRole].map(
    ([role, named]) =>
      html`<div><dt>${role}</dt><dd>${named.map(
        ({ kind, target, note }) =>
          html`<span class="line">${nameLink(context, kind, target)}${note !== '' && html` <span class="quiet">${note}</span>`}</span>`,
      )}</dd></div>`,
  )}</dl>`
}
