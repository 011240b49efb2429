import type { CalendarRelease, NearestReleases } from '../../browse/calendar/queries.ts'
import { KINDS, WORK_KINDS, type WorkKind } from '../../catalog/kinds.ts'
import { html, type Html } from '../../ui/html.ts'
import type { PageContext } from '../../ui/page/page-context.ts'
import type { View } from '../../ui/page/page.ts'
import { mayBeHiddenNotice } from '../adult-works/hidden-works.ts'
import { listsAdultWorks } from '../adult-works/visibility.ts'
import { chips } from '../components/chips.ts'
import { entryPath } from '../components/entry-path.ts'
import { pathWith } from '../components/path-with.ts'
import {
  addDays,
  addMonths,
  calendarFormats,
  columnOf,
  daysIn,
  MAX_MONTH,
  MIN_MONTH,
} from './month.ts'
import { releaseName } from './release-name.ts'

const PATH = '/calendar'

export type CalendarData = {
  /** Month, `YYYY-MM`. */
  month: string
  /** Set if the page lists all releases of one day. */
  day: string | undefined
  kind: WorkKind | undefined
  today: string
  releases: readonly (CalendarRelease & { total: number })[]
  /** Days with releases before and after; undefined if there are releases. */
  nearest: NearestReleases | undefined
}

/** Renders a month of the release calendar, or one of its days. */
export function calendarView(context: PageContext, data: CalendarData): View {
  const { language, messages } = context
  const { calendar: texts, layout } = messages
  const { month, day, kind, today, releases } = data
  const formats = calendarFormats(language)
  const pathOf = (changes: Record<string, string | null>) =>
    pathWith(
      PATH,
      new URLSearchParams([
        ...(day === undefined && month !== today.slice(0, 7) ? [['month', month]] : []),
        ...(day === undefined ? [] : [['day', day]]),
        ...(kind ? [['kind', KINDS[kind].path]] : []),
      ]),
      changes,
    )
  const monthPath = (other: string) =>
    pathOf({ day: null, month: other === today.slice(0, 7) ? null : other })
  const labels = { galgame: layout.galgames, light_novel: layout.lightNovels, manga: layout.mangas }
  const heading = day === undefined ? formats.month(month) : formats.wholeDay(day)
  const steps =
    day === undefined
      ? [addMonths(month, -1), addMonths(month, 1)].map((other) => ({
          isKnown: other >= MIN_MONTH && other <= MAX_MONTH,
          href: monthPath(other),
          text: formats.month(other),
        }))
      : [addDays(day, -1), addDays(day, 1)].map((other) => ({
          isKnown: other.slice(0, 7) >= MIN_MONTH && other.slice(0, 7) <= MAX_MONTH,
          href: pathOf({ day: other }),
          text: formats.day(other),
        }))
  const [previous, next] = steps
  /** Renders links to the nearest months with releases or, on the page of a day, to the nearest days. */
  const emptyView = (nearest: NearestReleases) => {
    const links = (['next', 'previous'] as const).flatMap((name) => {
      const near = nearest[name]
      const nearMonth = near?.slice(0, 7) ?? ''
      if (near === null || nearMonth < MIN_MONTH || nearMonth > MAX_MONTH) return []
      const [href, when] =
        day === undefined
          ? [monthPath(nearMonth), formats.month(nearMonth)]
          : [pathOf({ day: near }), formats.wholeDay(near)]
      return html`<a class="button secondary" href="${href}" rel="nofollow">${texts[name]({ when })}</a> `
    })
    return html`<div class="empty"><p>${texts.empty}</p>${links.length > 0 && html`<p>${links}</p>`}</div>`
  }
  const feedQuery = new URLSearchParams({
    ...(kind && { kind: KINDS[kind].path }),
    ui_locales: language,
  })
  return {
    title: `${texts.title}: ${heading}`,
    styles: ['calendar.css'],
    head: {
      description: texts.description,
      // The pager leads to many empty months, so search engines index only those with releases.
      ...(releases.length === 0 || kind || day !== undefined
        ? { robots: 'noindex' as const }
        : { canonical: monthPath(month) }),
      openGraph: { type: 'website' },
    },
    body: html`<div class="list-head cluster"><h1>${texts.title}</h1><p class="quiet">${texts.lead}</p></div>
${chips(messages.searchPage.kinds, [
  { href: pathOf({ kind: null }), text: messages.searchPage.all, isCurrent: !kind },
  ...WORK_KINDS.map((name) => ({
    href: pathOf({ kind: KINDS[name].path }),
    text: labels[name],
    isCurrent: kind === name,
  })),
])}
<div class="list-head cluster"><h2>${heading}</h2><nav class="pager" aria-label="${texts.months}"><ul>
${previous?.isKnown && html`<li><a href="${previous.href}" rel="prev nofollow">← ${previous.text}</a></li>`}
${day !== undefined && html`<li><a href="${monthPath(month)}">${formats.month(month)}</a></li>`}
${next?.isKnown && html`<li><a href="${next.href}" rel="next nofollow">${next.text} →</a></li>`}
</ul></nav></div>
${!listsAdultWorks(context) && mayBeHiddenNotice(context)}
${data.nearest ? emptyView(data.nearest) : day === undefined ? monthView(context, data, pathOf) : releaseList(context, releases)}
<p class="ways"><a href="/calendar.ics?${feedQuery.toString()}">${texts.subscribe}</a><a href="/account/feeds" rel="nofollow">${messages.accountFeeds.calendar}</a></p>`,
  }
}

/** Renders the days of a month as a grid, which is a list on phones, and the releases without a day below. */
function monthView(
  context: PageContext,
  { month, today, releases }: CalendarData,
  pathOf: (changes: Record<string, string | null>) => string,
): Html {
  const { language, messages } = context
  const { calendar: texts } = messages
  const formats = calendarFormats(language)
  const byDay = Map.groupBy(releases, ({ day }) => day)
  const undated = byDay.get(null) ?? []
  const all = daysIn(month)
  const [first = ''] = all
  const blanks = Array.from(
    { length: columnOf(language, first) - 1 },
    () => html`<li class="day free" aria-hidden="true"></li>`,
  )
  return html`<ol class="month">${blanks}${all.map((day) => {
    const found = byDay.get(day) ?? []
    const rest = (found[0]?.total ?? 0) - found.length
    const more = html`<p><a href="${pathOf({ month: null, day })}" rel="nofollow">${texts.more({ amount: rest })}<span class="unseen"> ${formats.wholeDay(day)}</span></a></p>`
    return html`<li class="${day === today ? 'day today' : 'day'}${found.length === 0 && ' free'}"><p class="quiet"><time datetime="${day}"${day === today && html` aria-current="date"`}>${formats.day(day)}</time>${day === today && html` <span class="tag">${texts.today}</span>`}</p>
${found.length > 0 && releaseList(context, found)}${rest > 0 && more}</li>`
  })}</ol>
${
  undated.length > 0 &&
  html`<section class="part"><h2>${texts.undated({ month: formats.month(month) })}</h2>
${releaseList(context, undated)}</section>`
}`
}

function releaseList(context: PageContext, releases: readonly CalendarRelease[]): Html {
  const { browse, kinds } = context.messages
  return html`<ul class="releases">${releases.map((release) => {
    const { title, volume } = releaseName(context, release)
    return html`<li class="of-${release.kind.replace('_', '-')}"><span class="unseen">${kinds[release.kind]}: </span><a href="${entryPath(release.kind, release.id)}"${title.lang !== undefined && html` lang="${title.lang}"`}>${title.text}</a>${volume !== undefined && html` <span class="quiet">${volume}</span>`}${release.nsfw && html` <span class="adult" title="${browse.adults}">${browse.adultsMark}</span>`}</li>`
  })}</ul>`
}
