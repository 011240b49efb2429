import type { ProfileCard } from '../../profiles/directory-queries.ts'
import { profilePath } from '../../profiles/queries.ts'
import { html, type Html, type Part } from '../../ui/html.ts'
import { portrait } from '../../ui/portrait.ts'

/**
 * Renders profiles as cards.
 *
 * @param more renders what follows the name
 */
export const profileCards = <Card extends ProfileCard>(
  profiles: readonly Card[],
  more: (profile: Card) => Part,
): Html =>
  html`<ul class="collection-cards tiles">${profiles.map(
    (profile) =>
      html`<li class="profile-head">${portrait({ name: profile.display_name, picture: profile.picture }, 'medium')}<div><a class="entry-title" href="${profilePath(profile)}">${profile.display_name}</a>${more(profile)}${profile.bio !== '' && html`<p class="quiet card-text">${profile.bio}</p>`}</div></li>`,
  )}</ul>`
