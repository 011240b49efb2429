import { html } from '../../../ui/html.ts'
import type { PageContext } from '../../../ui/page/page-context.ts'
import type { View } from '../../../ui/page/page.ts'
import { GUIDE_FILES } from './frame.ts'

/** Renders the page to which the sign-in for trying an operation redirects. A script redeems the code. */
export function callbackView({ messages, viewer }: PageContext): View {
  const { reference: texts } = messages
  return {
    title: texts.callback,
    styles: GUIDE_FILES.styles,
    scripts: ['/assets/reference.js'],
    head: { robots: 'noindex' },
    body: html`<h1>${texts.callback}</h1>
<p role="status" data-callback data-reader="${viewer?.accountId}" data-words="${JSON.stringify(texts.script)}">${texts.callbackText}</p>
<noscript><p class="notice">${texts.tryWithoutScript}</p></noscript>
<p class="links"><a href="/docs">${texts.title}</a></p>`,
  }
}
