import { html, type Html } from '../../ui/html.ts'

/** A text of the document, whose `code` is marked as in Markdown. */
export const prose = (text: string): Html =>
  html`${text.split('`').map((part, index) => (index % 2 === 1 ? html`<code>${part}</code>` : part))}`
