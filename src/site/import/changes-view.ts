import type { EntrySummary } from '../../browse/summary.ts'
import { kindOfWorkType } from '../../catalog/work-types.ts'
import { html, type Html } from '../../ui/html.ts'
import type { PageContext } from '../../ui/page/page-context.ts'
import type { View } from '../../ui/page/page.ts'
import type { ImportCounts } from '../../ratings/lists/imports/stored-import-queries.ts'
import type { RowOutcome, RowReport } from '../../ratings/lists/imports/outcome.ts'
import { chips } from '../components/chips.ts'
import { entryPath } from '../components/entry-path.ts'
import { formatNumber } from '../components/format-number.ts'
import { pager } from '../components/pager.ts'
import { titleLanguage } from '../components/title-language.ts'
import { shownTitles } from '../components/titles.ts'
import { changeItems } from '../library/history-view.ts'
import { reasonText } from './reason-text.ts'
import { stepPath, stepView } from './steps.ts'
import { canSeeWork, rowLabel, workCover } from './works-view.ts'

export const CHANGES_PER_PAGE = 50

export type ChangesData = {
  id: string
  overwrite: boolean
  /** Outcome that the list is filtered by. */
  outcome: RowOutcome
  counts: ImportCounts
  page: number
  /** Rows on this page. */
  reports: RowReport[]
  works: Map<number, EntrySummary>
}

/** Renders the third step: the outcome of every row, and the button that runs the import. */
export function changesView(context: PageContext, data: ChangesData): View {
  const { messages, language, csrfField } = context
  const { importPage: texts } = messages
  const { id, overwrite, outcome, counts, page, reports } = data
  const pathOf = (changes: { overwrite?: boolean; outcome?: RowOutcome; page?: number }) => {
    const selection = { overwrite, outcome: undefined, page: 1, ...changes }
    const parameters = new URLSearchParams({
      ...(selection.overwrite && { take: 'theirs' }),
      ...(selection.outcome && { show: selection.outcome }),
      ...(selection.page > 1 && { page: String(selection.page) }),
    })
    return `${stepPath(id, 'changes')}${parameters.size > 0 ? `?${parameters.toString()}` : ''}`
  }
  const amountOf = (one: RowOutcome) => counts[one.toLowerCase()] ?? 0
  const written = amountOf('CREATED') + amountOf('UPDATED')
  return stepView(context, {
    step: 2,
    heading: texts.changesTitle,
    body: html`<div class="policy"><h2>${texts.already}</h2>
${chips(texts.already, [
  { href: pathOf({ overwrite: false }), text: texts.keepExisting, isCurrent: !overwrite },
  { href: pathOf({ overwrite: true }), text: texts.overwrite, isCurrent: overwrite },
])}
<p class="quiet">${overwrite ? texts.takeTheirsHint : texts.keepMineHint}</p></div>
<div class="go-on cluster">${
      written === 0
        ? html`<p>${texts.nothingToDo}</p>`
        : html`<form method="post" action="${stepPath(id, 'take-over')}">${csrfField()}<input type="hidden" name="take" value="${overwrite ? 'theirs' : 'mine'}"><button>${texts.import({ amount: written })}</button></form>`
    } <a class="button secondary" href="${stepPath(id, 'works')}">${texts.backToWorks}</a></div>
<h2>${texts.lines}</h2>
${chips(
  texts.lines,
  // as: the keys of this object
  (Object.keys(texts.outcomes) as RowOutcome[])
    .filter((item) => amountOf(item) > 0 || item === outcome)
    .map((item) => ({
      href: pathOf({ outcome: item }),
      text: texts.outcomes[item],
      amount: formatNumber(language, amountOf(item)),
      isCurrent: item === outcome,
    })),
)}
${reports.length === 0 ? html`<p class="empty">${texts.noneOfThese}</p>` : html`<ul class="import-changes panel rows">${reports.map((report) => changeOf(context, data, report))}</ul>`}
${pager(context, {
  page,
  last: Math.ceil(amountOf(outcome) / CHANGES_PER_PAGE),
  pathOf: (number) => pathOf({ outcome, page: number }),
})}`,
  })
}

function changeOf(context: PageContext, { works }: ChangesData, report: RowReport): Html {
  const { messages } = context
  const work = report.work_id === undefined ? undefined : works.get(report.work_id)
  const [main] = work ? shownTitles(context, work) : []
  const title = main?.text ?? rowLabel(context, report)
  const lang = main ? main.lang : titleLanguage(title, false)
  const shown = html`<span class="row-title"${lang !== undefined && html` lang="${lang}"`}>${title}</span>`
  const kind = kindOfWorkType(report.work_type)
  const isNew = report.outcome === 'CREATED'
  return html`<li${work && html` class="of-work"`}>${work && workCover(context, work)}<div class="row-name">${work && canSeeWork(context, work) ? html`<a href="${entryPath(work.type, work.id)}">${shown}</a>` : shown}
${report.reason !== undefined && html`<span class="quiet">${reasonText(context, report.reason)}</span>`}</div>
${kind && report.changes && html`<ul class="changes">${changeItems(context, { kind, fields: report.changes, isNew })}</ul>`}
${kind && report.differences && html`<p class="quiet">${messages.importPage.differs}</p><ul class="changes">${changeItems(context, { kind, fields: report.differences, isNew: false })}</ul>`}</li>`
}
