import { html, type Html } from './html.ts'

type Person = { name: string; picture: string | null }
type Size = 'small' | 'medium' | 'large'

const SIDES = { small: 32, medium: 48, large: 96 }

/**
 * A person's picture. Who has none, and whoever's comes from another site, has the first letter of the name: pages of the
 * catalog load pictures from us alone.
 */
export const portrait = ({ name, picture }: Person, size: Size = 'small'): Html =>
  picture?.startsWith('/') === true
    ? image(picture, size)
    : html`<span class="face initial ${size}" aria-hidden="true">${[...name][0] ?? '?'}</span>`

/** The same on the pages of the person's own account, which may show what is elsewhere. */
export const ownPortrait = (person: Person): Html =>
  person.picture === null ? portrait(person, 'large') : image(person.picture, 'large')

const image = (address: string, size: Size) =>
  html`<img class="face ${size}" src="${address}" alt="" width="${SIDES[size]}" height="${SIDES[size]}" decoding="async" referrerpolicy="no-referrer">`
