import type { Takedown } from '../../moderation/takedown-queries.ts'
import { html, type Html } from '../../ui/html.ts'
import type { PageContext } from '../../ui/page/page-context.ts'

/** Tells authors that a moderator has hidden their review, and where they can appeal. */
export function hiddenNotice({ messages }: PageContext, { id, reason }: Takedown): Html {
  const { reports: texts } = messages
  return html`<div class="notice error" role="status"><p>${texts.hiddenNotice({ reason: texts.reasons[reason] })} <a href="/reports#hidden-${id}">${texts.toHidden}</a></p></div>`
}
