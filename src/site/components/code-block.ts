import { html, type Html } from '../../ui/html.ts'

/** Code that scrolls by itself; script adds a button to copy it. */
export const codeBlock = (text: string, label: string): Html =>
  html`<div class="code"><pre tabindex="0" role="group" aria-label="${label}" data-copy><code>${text}</code></pre></div>`
