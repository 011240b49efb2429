import { html, type Html } from '../../ui/html.ts'

/** Renders code in its own scroll area. A script adds a button to copy it. */
export const codeBlock = (text: string, label: string): Html =>
  html`<div class="code"><pre tabindex="0" role="group" aria-label="${label}" data-copy><code>${text}</code></pre></div>`
