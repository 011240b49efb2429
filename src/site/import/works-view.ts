import type { EntrySummary } from '../../browse/summary.ts'
import { html, type Html } from '../../ui/html.ts'
import type { PageContext } from '../../ui/page/page-context.ts'
import type { View } from '../../ui/page/page.ts'
import type { RowReport } from '../../ratings/lists/imports/outcome.ts'
import { entryPath } from '../components/entry-path.ts'
import { formatNumber } from '../components/format-number.ts'
import { pager } from '../components/pager.ts'
import { titleLanguage } from '../components/title-language.ts'
import { shownDeveloper, shownTitles } from '../components/titles.ts'
import { picture } from '../pictures/picture.ts'
import type { SortedRows, UnmatchedRow } from './import-rows.ts'
import type { ListFile } from '../../ratings/lists/formats/list-row.ts'
import { reasonText } from './reason-text.ts'
import { totalsList, stepPath, stepView } from './steps.ts'

/** Number of unmatched rows on a page. Each one needs a search. */
export const ROWS_PER_PAGE = 10
/** Maximum number of rows listed in the other groups. */
const MAX_SHOWN_ROWS = 100

export type WorksData = {
  id: string
  sorted: SortedRows
  page: number
  /** Search results for the rows on this page, keyed by row. */
  offers: Map<number, EntrySummary[]>
  /** Query entered instead of a row's title. */
  query: { row: number; q: string } | undefined
  /** Works that the user chose, keyed by id. */
  works: Map<number, EntrySummary>
  /** Fields in the file that are not imported, with the number of rows that have them. */
  remarks: ListFile['remarks']
  fault?: string | undefined
}

/** Renders the second step: how many rows were matched, and a search for each unmatched row. */
export function worksView(context: PageContext, data: WorksData): View {
  const { messages, language } = context
  const { importPage: texts } = messages
  const { id, sorted, page, remarks, fault } = data
  const { unmatched, chosen, skipped, unusable } = sorted
  const count = (amount: number) => formatNumber(language, amount)
  const path = stepPath(id, 'works')
  return stepView(context, {
    step: 1,
    heading: texts.worksTitle,
    body: html`${totalsList([
      [texts.matched, count(sorted.matched)],
      [texts.unmatched, count(unmatched.length)],
      [texts.chosen, count(chosen.length)],
      [texts.leftOut, count(skipped.length + unusable.length)],
    ])}
${fault !== undefined && html`<div class="notice error" role="alert"><p>${fault}</p></div>`}
${remarks.length > 0 && html`<ul class="remarks">${remarks.map((remark) => html`<li>${reasonText(context, remark.reason)} <span class="amount">${count(remark.count)}</span></li>`)}</ul>`}
<p class="go-on cluster"><a class="button" href="${stepPath(id, 'changes')}">${texts.toChanges}</a>${unmatched.length > 0 && html` <span class="quiet">${texts.restIsSkipped}</span>`}</p>
${
  unmatched.length === 0
    ? sorted.matched > 0 && chosen.length + skipped.length === 0 && html`<p>${texts.allFound}</p>`
    : html`<section aria-labelledby="unmatched"><h2 id="unmatched">${texts.unmatched}</h2>
<p>${texts.unmatchedLead}</p>
<ul class="import-rows panel rows">${unmatched
        .slice((page - 1) * ROWS_PER_PAGE, page * ROWS_PER_PAGE)
        .map((row) => unmatchedRow(context, data, row))}</ul>
${pager(context, {
  page,
  last: Math.ceil(unmatched.length / ROWS_PER_PAGE),
  pathOf: (number) => (number === 1 ? path : `${path}?page=${number}`),
})}</section>`
}
${chosen.length > 0 && rowsByHand(context, data, texts.chosen, chosen)}
${skipped.length > 0 && rowsByHand(context, data, texts.leftOut, skipped)}
${
  unusable.length > 0 &&
  html`<details class="unusable"><summary>${texts.unusable} <span class="amount">${count(unusable.length)}</span></summary><ul class="plain-list">${unusable
    .slice(0, MAX_SHOWN_ROWS)
    .map(
      (report) =>
        html`<li>${rowTitle(context, report)} <span class="quiet">${report.reason && reasonText(context, report.reason)}</span></li>`,
    )}</ul></details>`
}`,
  })
}

/** Returns the title of a row in the file, or its id or number. */
export const rowLabel = (
  { messages }: PageContext,
  { title, row, external_id: id }: RowReport,
): string => (title === '' ? (id ?? messages.importPage.withoutTitle({ row: String(row) })) : title)

function rowTitle(context: PageContext, report: RowReport): Html {
  const title = rowLabel(context, report)
  const lang = titleLanguage(title, false)
  return html`<span class="row-title"${lang !== undefined && html` lang="${lang}"`}>${title}</span>`
}

function unmatchedRow(
  context: PageContext,
  { id, page, offers, query }: WorksData,
  { report, kinds }: UnmatchedRow,
): Html {
  const { messages, csrfField } = context
  const { importPage: texts } = messages
  const { row, external_id: externalId } = report
  const title = rowLabel(context, report)
  const hasQuery = query?.row === row
  const hits = offers.get(row) ?? []
  const where = html`<input type="hidden" name="row" value="${row}"><input type="hidden" name="page" value="${page}">`
  const path = stepPath(id, 'works')
  return html`<li class="import-row" id="row-${row}">
<p class="row-head">${rowTitle(context, report)} <span class="quiet">${[...kinds.map((kind) => messages.kinds[kind]), report.title !== '' && externalId].filter(Boolean).join(' · ')}</span></p>
<form class="row-search" role="search" aria-label="${texts.searchFor({ title })}" action="${path}#row-${row}">${where}<label class="unseen" for="q-${row}">${texts.searchFor({ title })}</label><input type="search" id="q-${row}" name="q" value="${hasQuery ? query.q : report.title}" maxlength="300" autocomplete="off"${hasQuery && html` autofocus=""`}><button class="secondary">${texts.search}</button></form>
<form method="post" action="${path}" class="offers">${csrfField()}${where}
${
  hits.length === 0
    ? hasQuery && html`<p class="quiet" role="status">${texts.noHits}</p>`
    : html`<ul class="plain-list">${hits.map((hit) => offer(context, hit))}</ul>`
}
<button class="plain" name="work" value="none">${texts.skip}${hiddenLabel(title)}</button></form></li>`
}

/** Whether the viewer may see a work's page. A file may contain adult works of a user who does not allow them. */
export const canSeeWork = ({ viewer }: PageContext, { nsfw }: EntrySummary) =>
  !nsfw || (viewer?.nsfw ?? false)

/** Renders a small cover to show next to a title. */
export function workCover(context: PageContext, work: EntrySummary): Html {
  const [main] = shownTitles(context, work)
  return picture(context, {
    media: canSeeWork(context, work) ? work.cover : null,
    kind: work.type,
    id: work.id,
    title: main.text,
    lang: main.lang,
    shape: 'cover',
    sizes: '3rem',
    graded: 'guest',
    decorative: true,
  })
}

function offer(context: PageContext, hit: EntrySummary): Html {
  const { importPage: texts, kinds } = context.messages
  const [main, other] = shownTitles(context, hit)
  const facts = [kinds[hit.type], hit.release_date?.slice(0, 4), shownDeveloper(context, hit)]
    .filter(Boolean)
    .join(' · ')
  return html`<li>${workCover(context, hit)}<span class="offered"><a href="${entryPath(hit.type, hit.id)}"${langOf(main.lang)}>${main.text}</a>
<span class="quiet">${other && html`<span${langOf(other.lang)}>${other.text}</span> · `}${facts}</span></span>
<button class="secondary" name="work" value="${hit.id}">${texts.choose}${hiddenLabel(main.text)}</button></li>`
}

/** Names the subject of a button for screen readers. */
const hiddenLabel = (title: string) => html`<span class="unseen">: ${title}</span>`

const langOf = (lang: string | undefined) => lang !== undefined && html` lang="${lang}"`

function rowsByHand(
  context: PageContext,
  { id, page, works }: WorksData,
  heading: string,
  rows: RowReport[],
): Html {
  const { messages, csrfField } = context
  const { importPage: texts } = messages
  const lines = rows.slice(0, MAX_SHOWN_ROWS).map((report) => {
    const title = rowLabel(context, report)
    const work = report.work_id === undefined ? undefined : works.get(report.work_id)
    const [main] = work ? shownTitles(context, work) : []
    return html`<li class="cluster"><span>${rowTitle(context, report)}${work && main && html` <span aria-hidden="true">→</span> <a href="${entryPath(work.type, work.id)}"${langOf(main.lang)}>${main.text}</a>`}</span>
<form method="post" action="${stepPath(id, 'works')}">${csrfField()}<input type="hidden" name="row" value="${report.row}"><input type="hidden" name="page" value="${page}"><button class="plain" name="work" value="">${work ? texts.change : texts.chooseWork}${hiddenLabel(title)}</button></form></li>`
  })
  return html`<section class="by-hand"><h2>${heading}</h2><ul class="panel rows">${lines}</ul></section>`
}
