import { html, type Html } from '../../ui/html.ts'

export type Chip = {
  href: string
  text: string
  /** Count shown after the text. */
  amount?: string | undefined
  isCurrent?: boolean
}

/**
 * Renders a row of links, one of which may be marked as current.
 *
 * @param className further classes: `views` for a switch between two views, `views three` for three
 */
export const chips = (label: string, links: Chip[], className = ''): Html =>
  html`<nav aria-label="${label}"><ul class="${`chips ${className}`.trim()}">${links.map(
    ({ href, text, amount, isCurrent }) =>
      html`<li><a href="${href}"${isCurrent && html` aria-current="true"`}>${text}${amount !== undefined && html` <span class="amount">${amount}</span>`}</a></li>`,
  )}</ul></nav>`
