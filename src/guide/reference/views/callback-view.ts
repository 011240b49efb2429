import { html } from '../../../ui/html.ts'
import type { PageContext } from '../../../ui/page/page-context.ts'
import type { View } from '../../../ui/page/page.ts'
import { GUIDE_FILES } from './frame.ts'

/** Renders the redirect URI of the sign-in to try an operation. A script redeems the code. */
export function callbackView({ messages, viewer }: PageContext): View {
  const { reference: words } = messages
  return {
    title: words.callback,
    styles: GUIDE_FILES.styles,
    scripts: ['/assets/reference.js'],
    head: { robots: 'noindex' },
    body: html`<h1>${words.callback}</h1>
<p role="status" data-callback data-reader="${viewer?.accountId}" data-words="${JSON.stringify(words.script)}">${words.callbackText}</p>
<noscript><p class="notice">${words.tryWithoutScript}</p></noscript>
<p class="links"><a href="/docs">${words.title}</a></p>`,
  }
}
