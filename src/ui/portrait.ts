import { html, type Html } from './html.ts'

type Person = { name: string; picture: string | null }
type Size = 'small' | 'medium' | 'large'

const SIDES = { small: 32, medium: 48, large: 96 }

/**
 * Renders an account's picture. Without one, or if another site hosts it, the initial of the name
 * is shown, because catalog pages load pictures only from this service.
 */
export const portrait = ({ name, picture }: Person, size: Size = 'small'): Html =>
  picture?.startsWith('/') === true
    ? image(picture, size)
    : html`<span class="face initial ${size}" aria-hidden="true">${[...name][0] ?? '?'}</span>`

/** Renders the picture on the account's own pages, which may load it from another site. */
export const ownPortrait = (person: Person): Html =>
  person.picture === null ? portrait(person, 'large') : image(person.picture, 'large')

const image = (url: string, size: Size) =>
  html`<img class="face ${size}" src="${url}" alt="" width="${SIDES[size]}" height="${SIDES[size]}" decoding="async" referrerpolicy="no-referrer">`
