import { html, type Html } from '../../ui/html.ts'

/** Renders a bar whose length is a share of the longest one. The number is shown next to it. */
export const bar = (share: number): Html =>
  html`<svg class="bar-line" viewBox="0 0 100 1" preserveAspectRatio="none" aria-hidden="true"><rect width="${Math.round(share * 1_000) / 10}" height="1"/></svg>`

/** Renders a column whose height is a share of the highest one. The number is shown above it. */
export const column = (share: number): Html => {
  const height = Math.round(share * 1_000) / 10
  return html`<svg class="bar-line" viewBox="0 0 1 100" preserveAspectRatio="none" aria-hidden="true"><rect y="${100 - height}" width="1" height="${height}"/></svg>`
}
