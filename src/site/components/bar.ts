import { html, type Html } from '../../ui/html.ts'

/** A line as long as a share of the longest; the number stands beside it. */
export const bar = (share: number): Html =>
  html`<svg class="bar-line" viewBox="0 0 100 1" preserveAspectRatio="none" aria-hidden="true"><rect width="${Math.round(share * 1_000) / 10}" height="1"/></svg>`
