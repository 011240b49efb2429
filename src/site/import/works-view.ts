import type { EntrySummary } from '../../browse/summary.ts'
import { html, type Html } from '../../ui/html.ts'
import type { PageContext } from '../../ui/page/page-context.ts'
import type { View } from '../../ui/page/page.ts'
import type { RowReport } from '../../ratings/lists/imports/outcome.ts'
import { entryAddress } from '../components/entry-address.ts'
import { numberText } from '../components/number-text.ts'
import { pager } from '../components/pager.ts'
import { titleLanguage } from '../components/title-language.ts'
import { shownTitles } from '../components/titles.ts'
import { picture } from '../pictures/picture.ts'
import type { SortedRows, UnmatchedRow } from './import-rows.ts'
import type { ListFile } from '../../ratings/lists/formats/list-row.ts'
import { reasonText } from './reason-text.ts'
import { amounts, stepAddress, stepView } from './steps.ts'

/** Rows on a page that are chosen for: each is searched for. */
export const ROWS_OF_PAGE = 10
/** Rows that are shown of those that need nothing. */
const SHOWN = 100

export type WorksData = {
  id: string
  sorted: SortedRows
  page: number
  /** What search offers for the rows of this page. */
  offers: Map<number, EntrySummary[]>
  /** Query entered instead of a row's title. */
  asked: { row: number; q: string } | undefined
  /** The works that were chosen, by their ids. */
  works: Map<number, EntrySummary>
  /** Fields in the file that are not imported, with the number of lines that have them. */
  remarks: ListFile['remarks']
  fault?: string | undefined
}

/** The second step: what was found, and for each row that was not a search of its own. */
export function worksView(context: PageContext, data: WorksData): View {
  const { messages, language } = context
  const { importPage: words } = messages
  const { id, sorted, page, remarks, fault } = data
  const { unmatched, chosen, leftOut, unusable } = sorted
  const count = (amount: number) => numberText(language, amount)
  const address = stepAddress(id, 'works')
  return stepView(context, {
    step: 1,
    heading: words.worksTitle,
    body: html`${amounts([
      [words.matched, count(sorted.matched)],
      [words.unmatched, count(unmatched.length)],
      [words.chosen, count(chosen.length)],
      [words.leftOut, count(leftOut.length + unusable.length)],
    ])}
${fault !== undefined && html`<div class="notice error" role="alert"><p>${fault}</p></div>`}
${remarks.length > 0 && html`<ul class="remarks">${remarks.map((remark) => html`<li>${reasonText(context, remark.reason)} <span class="amount">${count(remark.count)}</span></li>`)}</ul>`}
<p class="go-on cluster"><a class="button" href="${stepAddress(id, 'changes')}">${words.toChanges}</a>${unmatched.length > 0 && html` <span class="quiet">${words.goOnWithRest}</span>`}</p>
${
  unmatched.length === 0
    ? sorted.matched > 0 && chosen.length + leftOut.length === 0 && html`<p>${words.allFound}</p>`
    : html`<section aria-labelledby="unmatched"><h2 id="unmatched">${words.unmatched}</h2>
<p>${words.unmatchedLead}</p>
<ul class="import-rows panel rows">${unmatched
        .slice((page - 1) * ROWS_OF_PAGE, page * ROWS_OF_PAGE)
        .map((row) => unmatchedRow(context, data, row))}</ul>
${pager(context, {
  page,
  last: Math.ceil(unmatched.length / ROWS_OF_PAGE),
  addressOf: (number) => (number === 1 ? address : `${address}?page=${number}`),
})}</section>`
}
${chosen.length > 0 && rowsByHand(context, data, words.chosen, chosen)}
${leftOut.length > 0 && rowsByHand(context, data, words.leftOut, leftOut)}
${
  unusable.length > 0 &&
  html`<details class="unusable"><summary>${words.unusable} <span class="amount">${count(unusable.length)}</span></summary><ul class="plain-list">${unusable
    .slice(0, SHOWN)
    .map(
      (report) =>
        html`<li>${rowTitle(context, report)} <span class="quiet">${report.reason && reasonText(context, report.reason)}</span></li>`,
    )}</ul></details>`
}`,
  })
}

/** The title as the file has it, or which line it is. */
export const titleOfRow = (
  { messages }: PageContext,
  { title, row, external_id: id }: RowReport,
): string => (title === '' ? (id ?? messages.importPage.withoutTitle({ row: String(row) })) : title)

function rowTitle(context: PageContext, report: RowReport): Html {
  const title = titleOfRow(context, report)
  const lang = titleLanguage(title, false)
  return html`<span class="row-title"${lang !== undefined && html` lang="${lang}"`}>${title}</span>`
}

function unmatchedRow(
  context: PageContext,
  { id, page, offers, asked }: WorksData,
  { report, kinds }: UnmatchedRow,
): Html {
  const { messages, csrfField } = context
  const { importPage: words } = messages
  const { row, external_id: externalId } = report
  const title = titleOfRow(context, report)
  const isAsked = asked?.row === row
  const hits = offers.get(row) ?? []
  const where = html`<input type="hidden" name="row" value="${row}"><input type="hidden" name="page" value="${page}">`
  const address = stepAddress(id, 'works')
  return html`<li class="import-row" id="row-${row}">
<p class="row-head">${rowTitle(context, report)} <span class="quiet">${[...kinds.map((kind) => messages.kinds[kind]), report.title !== '' && externalId].filter(Boolean).join(' · ')}</span></p>
<form class="row-search" role="search" aria-label="${words.searchFor({ title })}" action="${address}#row-${row}">${where}<label class="unseen" for="q-${row}">${words.searchFor({ title })}</label><input type="search" id="q-${row}" name="q" value="${isAsked ? asked.q : report.title}" maxlength="300" autocomplete="off"${isAsked && html` autofocus=""`}><button class="secondary">${words.search}</button></form>
<form method="post" action="${address}" class="offers">${csrfField()}${where}
${
  hits.length === 0
    ? isAsked && html`<p class="quiet" role="status">${words.noHits}</p>`
    : html`<ul class="plain-list">${hits.map((hit) => offer(context, hit))}</ul>`
}
<button class="plain" name="work" value="none">${words.leaveOut}${unseen(title)}</button></form></li>`
}

/** Whether there is a page of the work for this reader: what is for adults may be in a file of who is shown none. */
export const seesWork = ({ reader }: PageContext, { nsfw }: EntrySummary) =>
  !nsfw || (reader?.nsfw ?? false)

/** Small, beside its title. */
export function workCover(context: PageContext, work: EntrySummary): Html {
  const [main] = shownTitles(context.language, work)
  return picture(context, {
    media: seesWork(context, work) ? work.cover : null,
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
  const { language, messages } = context
  const { importPage: words, kinds } = messages
  const [main, other] = shownTitles(language, hit)
  const facts = [kinds[hit.type], hit.release_date?.slice(0, 4), hit.developer]
    .filter(Boolean)
    .join(' · ')
  return html`<li>${workCover(context, hit)}<span class="offered"><a href="${entryAddress(hit.type, hit.id)}"${langOf(main.lang)}>${main.text}</a>
<span class="quiet">${other && html`<span${langOf(other.lang)}>${other.text}</span> · `}${facts}</span></span>
<button class="secondary" name="work" value="${hit.id}">${words.thisOne}${unseen(main.text)}</button></li>`
}

/** Of what a button is, for who hears it alone. */
const unseen = (title: string) => html`<span class="unseen">: ${title}</span>`

const langOf = (lang: string | undefined) => lang !== undefined && html` lang="${lang}"`

function rowsByHand(
  context: PageContext,
  { id, page, works }: WorksData,
  heading: string,
  rows: RowReport[],
): Html {
  const { messages, csrfField, language } = context
  const { importPage: words } = messages
  const lines = rows.slice(0, SHOWN).map((report) => {
    const title = titleOfRow(context, report)
    const work = report.work_id === undefined ? undefined : works.get(report.work_id)
    const [main] = work ? shownTitles(language, work) : []
    return html`<li class="cluster"><span>${rowTitle(context, report)}${work && main && html` <span aria-hidden="true">→</span> <a href="${entryAddress(work.type, work.id)}"${langOf(main.lang)}>${main.text}</a>`}</span>
<form method="post" action="${stepAddress(id, 'works')}">${csrfField()}<input type="hidden" name="row" value="${report.row}"><input type="hidden" name="page" value="${page}"><button class="plain" name="work" value="">${work ? words.notThis : words.takeIn}${unseen(title)}</button></form></li>`
  })
  return html`<section class="by-hand"><h2>${heading}</h2><ul class="panel rows">${lines}</ul></section>`
}
