import { html, type Html } from '../../ui/html.ts'
import type { Head } from '../../ui/page/head.ts'
import type { PageContext } from '../../ui/page/page-context.ts'
import type { View } from '../../ui/page/page.ts'
import { portrait } from '../../ui/portrait.ts'
import {
  PROFILE_PARTS,
  profilePath,
  type ProfilePart,
  type PublishedProfile,
} from '../../profiles/queries.ts'
import { profileCardPath } from '../pictures/cards/card-routes.ts'
import { hasPictures } from '../pictures/picture.ts'
import { tabs } from '../entry/tabs.ts'
import { followForm } from '../following/following-view.ts'
import { userText } from '../entry/texts.ts'
import { activityTitle } from './profile-feeds.ts'

export type ProfilePage = {
  profile: PublishedProfile
  /** Undefined for the overview. */
  part?: ProfilePart
  /** Whether the viewer follows the profile; undefined for guests and the owner. */
  isFollowed: boolean | undefined
  body: Html
}

/**
 * Renders a page of a user's profile: who they are, the parts they publish, and one of these parts.
 */
export function publicProfileView(
  context: PageContext,
  { profile, part, isFollowed, body }: ProfilePage,
): View {
  const { messages, language, viewer, origin } = context
  const { profilePage: texts } = messages
  const { display_name: name, picture, bio, since } = profile
  const path = profilePath(profile)
  const here = part ? `${path}/${part}` : path
  const isOwn = viewer?.accountId === profile.account_id
  const month = new Intl.DateTimeFormat(language, {
    year: 'numeric',
    month: 'long',
    timeZone: 'UTC',
  })
  const parts = PROFILE_PARTS.filter((item) => profile[`shows_${item}`])
  const title = part ? texts.titles[part]({ name }) : name
  const description = bio || texts.description({ name })
  const head: Head = {
    description,
    canonical: here,
    openGraph: { type: 'profile', image: cardOf(context, profile, part) ?? ownPicture(profile) },
    ...(!profile.may_be_found && { robots: 'noindex' as const }),
    feeds: [
      ...(profile.shows_list
        ? [{ title: activityTitle(context, profile), href: `${path}/activity.xml` }]
        : []),
      ...(profile.shows_reviews
        ? [{ title: texts.titles.reviews({ name }), href: `${path}/reviews.xml` }]
        : []),
    ],
    ...(!part && { jsonLd: profileJsonLd(profile, origin) }),
  }
  return {
    title,
    styles: ['collections.css'],
    head,
    body: html`<header class="profile-head">${portrait({ name, picture }, 'large')}
<div><h1>${part ? html`<a href="${path}">${name}</a>` : name}</h1>
<p class="quiet">${texts.since({ month: month.format(since) })}${isOwn && html` · <a href="/library/profile">${texts.edit}</a>`}</p>${isFollowed !== undefined && followForm(context, profile, isFollowed)}</div>
${!part && bio !== '' && html`<div class="prose profile-bio">${userText(bio)}</div>`}</header>
${tabs(
  name,
  [
    { href: path, text: texts.overview },
    ...parts.map((item) => ({ href: `${path}/${item}`, text: texts.parts[item] })),
  ],
  here,
)}
${part && html`<h2 class="unseen">${title}</h2>`}
${body}
${!isOwn && html`<p>${reportLinks(context, profile)}</p>`}`,
  }
}

const reportLinks = (
  { messages }: PageContext,
  { account_id: id, picture }: PublishedProfile,
): Html =>
  html`<a class="report-link" href="/report?profile=${id}" rel="nofollow">${messages.reports.linkProfile}</a>${
    picture !== null &&
    html` · <a class="report-link" href="/report?picture=profile/${id}" rel="nofollow">${messages.reports.linkPicture}</a>`
  }`

/** Returns the user's picture if this service hosts it. */
const ownPicture = ({ picture }: PublishedProfile) =>
  picture?.startsWith('/') === true ? picture : undefined

/** Returns the link preview with covers of the works that the page shows. */
function cardOf(
  context: PageContext,
  { account_id: id, shows_list: showsList, shows_reviews: showsReviews }: PublishedProfile,
  part: ProfilePart | undefined,
): string | undefined {
  if (!hasPictures(context)) return undefined
  if (showsReviews && (part === 'reviews' || !showsList)) return profileCardPath(id, 'reviews')
  return showsList ? profileCardPath(id, 'list') : undefined
}

/**
 * Builds the structured data of a profile. The picture is included only if this service hosts it.
 */
function profileJsonLd(profile: PublishedProfile, origin: string): Record<string, unknown> {
  const { display_name: name, bio, since } = profile
  const image = ownPicture(profile)
  const url = origin + profilePath(profile)
  return {
    '@type': 'ProfilePage',
    url,
    dateCreated: since.toISOString().slice(0, 10),
    mainEntity: {
      '@type': 'Person',
      name,
      url,
      ...(profile.name !== null && { alternateName: profile.name }),
      ...(bio !== '' && { description: bio.slice(0, 500) }),
      ...(image !== undefined && { image: origin + image }),
    },
  }
}
