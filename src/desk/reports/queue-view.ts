import { REPORT_REASONS } from '../../moderation/reasons.ts'
import type { QueuedSubject, Report } from '../../moderation/report-queries.ts'
import { isHideable } from '../../moderation/subject-queries.ts'
import type { Takedown } from '../../moderation/takedown-queries.ts'
import { html, type Html } from '../../ui/html.ts'
import type { PageContext } from '../../ui/page/page-context.ts'
import type { View } from '../../ui/page/page.ts'
import { reportReasonText, reportState } from '../../site/reports/own-reports-view.ts'
import { pager } from '../../site/components/pager.ts'
import { placeLink, type PlaceTitles } from '../../site/components/place-titles.ts'
import { actionForm, deskTable, deskView, factList, timeText } from '../desk-view.ts'
import { ownerLink, subjectContent } from './subject-view.ts'

type QueueData = {
  queue: QueuedSubject[]
  appeals: Takedown[]
  titles: PlaceTitles
  page: number
  last: number
  notice: Html | undefined
}

/** Renders the open reports and appeals. */
export function queueView(
  context: PageContext,
  { queue, appeals, titles, page, last, notice }: QueueData,
): View {
  const { desk: texts, reports: reportWords } = context.messages
  const { columns } = texts
  const objections =
    appeals.length > 0 &&
    html`<section><h2>${texts.queue.appeals}</h2><p class="quiet">${texts.queue.appealsLead}</p>${deskTable(
      context,
      [
        { text: columns.what },
        { text: columns.where },
        { text: columns.owner },
        { text: columns.by },
        { text: columns.since },
      ],
      appeals.map((takedown) => [
        html`<a href="/desk/hidden/${takedown.id}">${reportWords.kinds[takedown.kind]}</a>`,
        placeLink(context, takedown.place, titles, { isHidden: true }),
        ownerLink(context, takedown),
        takedown.hidden_by_name ?? texts.nobody,
        timeText(context, takedown.appealed_at),
      ]),
    )}</section>`
  const rows = queue.map((queued) => [
    html`<a href="/desk/reports/${queued.id}">${reportWords.kinds[queued.kind]}</a>`,
    placeLink(context, queued.place, titles),
    ownerLink(context, queued),
    queued.reports,
    queued.reasons
      .map((reason) => reportReasonText(context.messages, queued.kind, reason))
      .filter((text) => text !== '')
      .join(', '),
    timeText(context, queued.since),
  ])
  return deskView(context, {
    part: 'queue',
    lead: texts.queue.lead,
    notice,
    body: html`${objections}<section>${objections && html`<h2>${texts.parts.queue}</h2>`}${deskTable(
      context,
      [
        { text: columns.what },
        { text: columns.where },
        { text: columns.owner },
        { text: columns.reports, isNumber: true },
        { text: columns.reasons },
        { text: columns.since },
      ],
      rows,
    )}${pager(context, { page, last, pathOf: (number) => `/desk?page=${number}` })}</section>`,
  })
}

type ReportData = {
  report: Report
  /** All reports about the same subject. */
  reports: Report[]
  takedown: Takedown | undefined
  text: string | undefined
  titles: PlaceTitles
  notice: Html | undefined
}

/** Renders a reported subject with the two possible decisions. */
export function reportView(
  context: PageContext,
  { report, reports, takedown, text, titles, notice }: ReportData,
): View {
  const { desk: texts, reports: reportWords } = context.messages
  const { columns } = texts
  const isOpen = reports.some(({ state }) => state === 'OPEN')
  const isEntry = report.kind === 'ENTRY'
  /** Reports that arrive later are not decided. */
  const shown = { last: String(reports[0]?.id ?? report.id) }
  return deskView(context, {
    part: 'queue',
    title: `${reportWords.kinds[report.kind]} · ${texts.parts.queue}`,
    notice,
    body: html`${factList(context, [
      [columns.where, placeLink(context, report.place, titles)],
      [columns.owner, ownerLink(context, report)],
    ])}
${subjectContent(context, report, text)}
${takedown && html`<p>${texts.queue.isHidden} <a href="/desk/hidden/${takedown.id}">${texts.show}</a></p>`}
<h2>${texts.queue.before}</h2>${deskTable(
      context,
      [
        { text: columns.reporter },
        { text: columns.reasons },
        { text: columns.note, isLong: true },
        { text: columns.state },
        { text: columns.at },
      ],
      reports.map((item) => [
        item.reporter,
        reportReasonText(context.messages, item.kind, item.reason),
        item.note,
        reportState(context.messages, item),
        timeText(context, item.created_at),
      ]),
    )}
<div class="acts tiles">${isHideable(report) && !takedown && hideForm(context, report)}${
      isOpen &&
      isEntry &&
      actionForm(context, {
        action: `/desk/reports/${report.id}/correct`,
        title: reportWords.corrected,
        button: texts.queue.correctButton,
        fields: shown,
      })
    }${
      isOpen &&
      actionForm(context, {
        action: `/desk/reports/${report.id}/dismiss`,
        title: isEntry ? reportWords.states.DISMISSED : texts.queue.dismiss,
        button: texts.queue.dismissButton,
        fields: shown,
      })
    }</div>`,
  })
}

function hideForm(context: PageContext, report: Report): Html {
  const { desk: texts, reports: reportWords } = context.messages
  const options = REPORT_REASONS.map(
    (reason) =>
      html`<option value="${reason}"${reason === report.reason && html` selected`}>${reportWords.reasons[reason]}</option>`,
  )
  return actionForm(context, {
    action: `/desk/reports/${report.id}/hide`,
    title: texts.queue.hide,
    button: texts.queue.hide,
    isDangerous: true,
    reason: texts.ownerNote,
    controls: html`<div class="field"><label for="hide-reason">${reportWords.reason}</label><select id="hide-reason" name="reason">${options}</select></div>`,
  })
}
