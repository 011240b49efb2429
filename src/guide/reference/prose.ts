import { html, type Html } from '../../ui/html.ts'

/** Renders text from the document, in which backticks mark code. */
export const prose = (text: string): Html =>
  html`${text.split('`').map((part, index) => (index % 2 === 1 ? html`<code>${part}</code>` : part))}`
