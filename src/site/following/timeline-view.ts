import type { TimelineEntry } from '../../profiles/timeline-queries.ts'
import { profilePath } from '../../profiles/queries.ts'
import { relativeTimeElement } from '../../ui/format-time.ts'
import { html, type Html } from '../../ui/html.ts'
import type { PageContext } from '../../ui/page/page-context.ts'
import type { View } from '../../ui/page/page.ts'
import { scoreMark } from '../components/format-number.ts'
import { entryPath } from '../components/entry-path.ts'
import { positionLinks, type ListPosition } from '../community/position.ts'
import { userText } from '../entry/texts.ts'
import { workTitles } from '../library/library-view.ts'
import { statusLabels } from '../library/rating/quick-rating.ts'
import { picture } from '../pictures/picture.ts'

export const TIMELINE_PATH = '/library/timeline'

type Timeline = { entries: TimelineEntry[]; isFirst: boolean; next: ListPosition | undefined }

/** Renders what the profiles that a user follows have published, newest first. */
export function timelineView(context: PageContext, { entries, isFirst, next }: Timeline): View {
  const { following: texts, library } = context.messages
  return {
    title: texts.timeline,
    styles: ['collections.css'],
    head: { robots: 'noindex' },
    body: html`<div class="list-head cluster"><h1>${texts.timeline}</h1></div>
<p class="ways"><a href="/library">${library.back}</a><a href="/library/following">${texts.title}</a><a href="/users">${texts.find}</a></p>
<p class="lead">${texts.timelineLead}</p>
${entries.length === 0 ? html`<p class="empty">${texts.timelineEmpty}</p>` : html`<h2 class="unseen">${texts.timeline}</h2><div class="reader-reviews">${entries.map((entry) => entryView(context, entry))}</div>`}
${positionLinks(context, TIMELINE_PATH, new URLSearchParams(), { isFirst, next })}`,
  }
}

function entryView(context: PageContext, entry: TimelineEntry): Html {
  const { messages, viewer } = context
  const { kind, work_id: id, work, status, rate, review, display_name: name } = entry
  const [main] = workTitles(context, work)
  const title = main?.text ?? `${messages.kinds[kind]} ${id}`
  const path = entryPath(kind, id)
  const cover = picture(context, {
    media: work?.image,
    kind,
    id,
    title,
    lang: main?.lang,
    shape: 'cover',
    sizes: '4.5rem',
    graded: 'guest',
    decorative: true,
  })
  const text = review !== null && userText(review)
  return html`<article class="review"><a class="own-cover" href="${path}" tabindex="-1" aria-hidden="true">${cover}</a>
<div><header class="cluster"><h3><a href="${path}"${main?.lang !== undefined && html` lang="${main.lang}"`}>${title}</a></h3><p class="quiet"><a href="${profilePath(entry)}">${name}</a> · ${
    rate !== null && html`${scoreMark(messages, rate)} `
  }${status !== null && html`${statusLabels(messages, kind)[status]} · `}${relativeTimeElement(context, entry.updated_at, context.site?.now() ?? Date.now())}</p></header>
${text && (entry.is_spoiler ? html`<details class="spoiler"${viewer?.showsSpoilers === true && html` open`}><summary>${messages.entry.spoiler}</summary>${text}</details>` : text)}</div></article>`
}
