import {
  NOTIFICATION_KINDS,
  type Notification,
  type NotificationSettings,
} from '../../notifications/queries.ts'
import type { ProfileCard } from '../../profiles/directory-queries.ts'
import { profilePath } from '../../profiles/queries.ts'
import { dayElement } from '../../ui/format-time.ts'
import { html, type Html } from '../../ui/html.ts'
import type { PageContext } from '../../ui/page/page-context.ts'
import type { View } from '../../ui/page/page.ts'
import { entryPath, reviewPath } from '../components/entry-path.ts'
import { labelFor } from '../entry/labels.ts'
import { workTitles } from '../library/library-view.ts'

export const NOTIFICATIONS_PATH = '/library/notifications'

type Notifications = {
  /** Newest first. */
  notifications: Notification[]
  /** Followers whose profile is public, keyed by account id. */
  followers: ReadonlyMap<number, ProfileCard>
  settings: NotificationSettings
  /** Time up to which the button marks notifications as read. */
  until: number
  isSaved: boolean
}

/** Renders a user's notifications, with a button that marks them as read and a switch for each kind. */
export function notificationsView(
  context: PageContext,
  { notifications, followers, settings, until, isSaved }: Notifications,
): View {
  const { messages, csrfField, language } = context
  const { notificationPage: texts, library } = messages
  const items = notifications.map(
    (notification) =>
      html`<li class="cluster"><p>${notification.is_unread && html`<span class="tag">${texts.unread}</span> `}${sentence(context, notification, followers)}</p><p class="quiet">${dayElement(language, notification.at.toISOString())}</p></li>`,
  )
  return {
    title: texts.title,
    styles: ['collections.css'],
    head: { robots: 'noindex' },
    body: html`<div class="list-head cluster"><h1>${texts.title}</h1></div>
<p class="ways"><a href="/library">${library.back}</a><a href="/account/feeds">${messages.accountFeeds.title}</a></p>
${isSaved && html`<div class="notice success" role="status"><p>${texts.saved}</p></div>`}
<p class="lead">${texts.lead}</p>
${
  notifications.some(({ is_unread: isUnread }) => isUnread) &&
  html`<form method="post" action="${NOTIFICATIONS_PATH}">${csrfField()}<input type="hidden" name="until" value="${until}"><button class="secondary" name="action" value="read">${texts.markRead}</button></form>`
}
${items.length > 0 ? html`<ol class="own-history">${items}</ol>` : html`<p class="empty">${texts.empty}</p>`}
<form method="post" action="${NOTIFICATIONS_PATH}" class="divided">${csrfField()}
<fieldset><legend>${texts.settings}</legend>${NOTIFICATION_KINDS.map(
      (kind) =>
        html`<label class="check"><input type="checkbox" name="${kind}" value="yes"${settings[`notifies_${kind}`] && html` checked`}>${texts.kinds[kind]}</label>`,
    )}</fieldset>
<div class="actions"><button name="action" value="save">${texts.save}</button></div></form>`,
  }
}

/** Parts of a notification: a link, and plain text before or after it. */
type NotificationWords = {
  before?: string
  link?: { href: string; text: string; lang?: string | undefined } | undefined
  after?: string
}

function sentence(...parameters: Parameters<typeof notificationWords>): Html {
  const { before, link, after } = notificationWords(...parameters)
  return html`${before !== undefined && (link ? `${before} · ` : before)}${link && html`<a href="${link.href}"${link.lang !== undefined && html` lang="${link.lang}"`}>${link.text}</a>`}${after !== undefined && ` · ${after}`}`
}

/** Returns the parts of a notification for the page and the feed. A follower without a public profile has no link. */
export function notificationWords(
  context: PageContext,
  notification: Notification,
  followers: Notifications['followers'],
): NotificationWords {
  const { notificationPage: texts, reports } = context.messages
  const { kind, subject_id: id, amount, detail } = notification
  const link = workLink(context, notification)
  if (kind === 'volumes')
    return { link, after: detail === null ? texts.newVolume : texts.volume({ number: detail }) }
  if (kind === 'votes') return { link, after: texts.votes({ amount: amount ?? 0 }) }
  if (kind === 'reports') {
    const state = labelFor({ ...reports.states, CORRECTED: reports.corrected }, detail ?? '')
    return { link: { href: '/reports', text: texts.report }, after: state }
  }
  const follower = id === null ? undefined : followers.get(id)
  return follower
    ? { before: texts.follower, link: { href: profilePath(follower), text: follower.display_name } }
    : { before: texts.hiddenFollower }
}

function workLink(
  context: PageContext,
  { work, work_kind: kind, work_id: id, kind: topic, subject_id: subject }: Notification,
): NotificationWords['link'] {
  if (kind === null || id === null) return undefined
  const [main] = workTitles(context, work)
  return {
    href:
      topic === 'votes' && subject !== null ? reviewPath(kind, id, subject) : entryPath(kind, id),
    text: main?.text ?? `${context.messages.kinds[kind]} ${id}`,
    lang: main?.lang,
  }
}
