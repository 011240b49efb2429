import type { WorkRef } from '../../../catalog/work-refs.ts'
import type { DiaryEntry } from '../../../ratings/own/diary-queries.ts'
import { html, type Html } from '../../../ui/html.ts'
import type { PageContext } from '../../../ui/page/page-context.ts'
import type { View } from '../../../ui/page/page.ts'
import { calendarFormats } from '../../calendar/month.ts'
import { chips } from '../../components/chips.ts'
import { entryPath } from '../../components/entry-path.ts'
import { scoreMark } from '../../components/format-number.ts'
import { pager } from '../../components/pager.ts'
import { pathWith } from '../../components/path-with.ts'
import { langOf } from '../../entry/facts-view.ts'
import { partSection } from '../../entry/section.ts'
import { picture } from '../../pictures/picture.ts'
import { workTitles } from '../library-view.ts'
import { ratingPath } from '../rating/quick-rating.ts'
import type { Year } from '../statistics/statistics-view.ts'

const PATH = '/library/diary'

export type DiaryData = {
  years: Year[]
  /** Undefined if the diary is empty. */
  year: string | undefined
  entries: (DiaryEntry & { work: WorkRef | null })[]
  /** Works whose page and picture the viewer may see. */
  visible: ReadonlySet<number>
  page: number
  last: number
}

/** Renders what a user started and finished in a year, by month and day. */
export function diaryView(context: PageContext, data: DiaryData): View {
  const { messages, language } = context
  const { library: texts } = messages
  const { years, year, entries, page, last } = data
  const formats = calendarFormats(language)
  const months = Map.groupBy(entries, ({ at }) => at.slice(0, 7))
  const heading = (month: string) =>
    month.length === 4 ? texts.diary.noMonth : formats.month(`${month}-01`)
  const pathOf = (number: number) =>
    pathWith(PATH, new URLSearchParams(), {
      year: year ?? null,
      page: number === 1 ? null : String(number),
    })
  return {
    title: texts.diary.title,
    head: { robots: 'noindex' },
    body: html`<div class="list-head cluster"><h1>${texts.diary.title}</h1></div>
<p class="ways"><a href="/library">${texts.back}</a><a href="/library/statistics">${texts.statistics}</a><a href="/library/history">${texts.history}</a></p>
<p class="lead">${texts.diary.lead}</p>
${year === undefined ? html`<p class="empty">${texts.diary.empty}</p>` : yearLinks(context, years, year)}
${[...months].map(([month, lines]) =>
  partSection(
    heading(month),
    html`<ol class="works rows diary">${lines.map((line, index) => diaryLine(context, data, line, lines[index - 1]?.at, formats.day))}</ol>`,
  ),
)}
${pager(context, { page, last, pathOf })}`,
  }
}

const yearLinks = ({ messages }: PageContext, years: Year[], current: string): Html =>
  chips(
    messages.library.diary.title,
    years.map(({ year, amount }) => ({
      href: `${PATH}?year=${year}`,
      text: year,
      amount: String(amount),
      isCurrent: year === current,
    })),
  )

/** @param before date of the line above; an equal date is hidden visually */
function diaryLine(
  context: PageContext,
  { visible }: DiaryData,
  { kind, work_id: id, work, event, at, rate }: DiaryData['entries'][number],
  before: string | undefined,
  formatDay: (day: string) => string,
): Html {
  const { messages } = context
  const [main] = workTitles(context, work)
  const title = main?.text ?? `${messages.kinds[kind]} ${id}`
  const isSeen = visible.has(id)
  const cover = picture(context, {
    media: isSeen ? work?.image : null,
    kind,
    id,
    title,
    lang: main?.lang,
    shape: 'cover',
    sizes: '3rem',
    graded: 'guest',
    decorative: true,
  })
  const path = isSeen ? entryPath(kind, id) : ratingPath(kind, id, PATH)
  return html`<li><span class="year${at === before && ' again'}">${at.length === 10 && html`<time datetime="${at}">${formatDay(at)}</time>`}</span>${cover}<div><a class="own-name" href="${path}"${langOf(main?.lang)}>${title}</a><p class="quiet">${messages.library.diary.events[event]} · ${messages.kinds[kind]}${rate !== null && html` ${scoreMark(messages, rate)}`}</p></div></li>`
}
