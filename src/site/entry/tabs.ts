import { html, type Html } from '../../ui/html.ts'

export type Tab = { href: string; text: string; amount?: number | undefined }

/** Renders links to an entry's pages, except for empty ones. */
export const tabs = (label: string, all: Tab[], current: string): Html =>
  html`<nav class="entry-tabs" aria-label="${label}"><ul class="tabs">${all
    .filter(({ amount, href }) => amount !== 0 || href === current)
    .map(
      ({ href, text, amount }) =>
        html`<li><a href="${href}"${href === current && html` aria-current="page"`}>${text}${amount !== undefined && html` <span class="amount">${amount}</span>`}</a></li>`,
    )}</ul></nav>`
