import type { ProfileCard } from '../../profiles/directory-queries.ts'
import { MAX_FOLLOWED } from '../../profiles/follow-queries.ts'
import { html, type Html } from '../../ui/html.ts'
import type { PageContext } from '../../ui/page/page-context.ts'
import type { View } from '../../ui/page/page.ts'
import { profileCards } from '../profile/profile-cards.ts'
import { TIMELINE_PATH } from './timeline-view.ts'

export const FOLLOWING_PATH = '/library/following'

type Following = {
  profiles: ProfileCard[]
  /** True right after the user could not follow another profile. */
  isFull: boolean
}

/** Renders the public profiles that a user follows. */
export function followingView(context: PageContext, { profiles, isFull }: Following): View {
  const { messages, csrfField } = context
  const { following: texts, library } = messages
  return {
    title: texts.title,
    styles: ['collections.css'],
    head: { robots: 'noindex' },
    body: html`<div class="list-head cluster"><h1>${texts.title}</h1></div>
<p class="ways"><a href="/library">${library.back}</a><a href="${TIMELINE_PATH}">${texts.timeline}</a><a href="/users">${texts.find}</a></p>
${isFull && html`<div class="notice error" role="alert"><p>${texts.tooMany({ max: MAX_FOLLOWED })}</p></div>`}
<p class="lead">${texts.lead}</p>
${
  profiles.length === 0
    ? html`<p class="empty">${texts.empty}</p>`
    : profileCards(profiles, (profile) => followForm(context, profile, true))
}
<form method="post" action="${FOLLOWING_PATH}" class="divided cluster">${csrfField()}<p class="quiet">${texts.hidden}</p><button class="secondary" name="action" value="unfollow_hidden">${texts.unfollowHidden}</button></form>`,
  }
}

/** Renders the button that follows or unfollows a profile. */
export function followForm(
  { messages, csrfField }: PageContext,
  { account_id: id, display_name: name }: Pick<ProfileCard, 'account_id' | 'display_name'>,
  isFollowed: boolean,
): Html {
  const { following: texts } = messages
  const action = isFollowed ? 'unfollow' : 'follow'
  return html`<form method="post" action="${FOLLOWING_PATH}">${csrfField()}<input type="hidden" name="account" value="${id}"><button${isFollowed && html` class="secondary"`} name="action" value="${action}">${texts[action]}<span class="unseen">: ${name}</span></button></form>`
}
