import { html, type Html } from './html.ts'

/** A person's picture; who has none, and whoever's comes from another site, has the first letter of the name. */
export const portrait = (
  { name, picture }: { name: string; picture: string | null },
  size: 'small' | 'medium' | 'large' = 'small',
): Html => {
  const side = { small: 28, medium: 48, large: 96 }[size]
  // Pages of the catalog load pictures from us alone.
  return picture?.startsWith('/') === true
    ? html`<img class="face ${size}" src="${picture}" alt="" width="${side}" height="${side}" decoding="async">`
    : html`<span class="face initial ${size}" aria-hidden="true">${[...name][0] ?? '?'}</span>`
}
