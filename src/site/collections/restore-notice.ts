import { html, type Html } from '../../ui/html.ts'
import type { PageContext } from '../../ui/page/page-context.ts'

/** Renders a confirmation of a deletion, with a button to undo it. */
export const restoreNotice = (
  { messages, csrfField }: PageContext,
  { text, action }: { text: string; action: string },
): Html =>
  html`<div class="notice success done cluster" role="status"><p>${text}</p>
<form class="undo" method="post" action="${action}">${csrfField()}<button class="secondary">${messages.collectionPage.undo}</button></form></div>`
