import { MAX_NOTE_LENGTH, type ReportReason, type SubjectKind } from '../../moderation/reasons.ts'
import type { OwnReport } from '../../moderation/report-queries.ts'
import type { Takedown } from '../../moderation/takedown-queries.ts'
import { html, type Html } from '../../ui/html.ts'
import type { Messages } from '../../ui/messages.ts'
import type { PageContext } from '../../ui/page/page-context.ts'
import type { View } from '../../ui/page/page.ts'
import { timeElement } from '../../ui/format-time.ts'
import { pager } from '../components/pager.ts'
import { placeLink, type PlaceTitles } from '../components/place-titles.ts'

type OwnReports = {
  reports: OwnReport[]
  takedowns: Takedown[]
  titles: PlaceTitles
  page: number
  last: number
  /** True right after a report has been submitted. */
  wasSent: boolean
  /** Appeal that could not be submitted, shown again in the form of its takedown. */
  objection: Objection | undefined
}

export type Objection = { id: number; text: string; fault?: string }

/** Renders the reports a user has submitted and the user's own content that is hidden. */
export function ownReportsView(
  context: PageContext,
  { reports, takedowns, titles, page, last, wasSent, objection }: OwnReports,
): View {
  const { reports: texts } = context.messages
  const rows = reports.map(
    (report) =>
      html`<tr><td data-label="${texts.about}">${texts.kinds[report.kind]} · ${placeLink(context, report.place, titles, { isHidden: report.state === 'UPHELD' })}</td><td data-label="${texts.reason}">${reportReasonText(context.messages, report.kind, report.reason)}</td><td data-label="${texts.when}">${timeElement(context, report.created_at)}</td><td data-label="${texts.state}">${reportState(context.messages, report)}</td></tr>`,
  )
  return {
    title: texts.mine,
    head: { robots: 'noindex' },
    styles: ['desk.css'],
    body: html`<div class="report"><h1>${texts.mine}</h1>
${wasSent && html`<div class="notice done cluster" role="status"><p>${texts.sent}</p></div>`}
${
  takedowns.length > 0 &&
  html`<section><h2>${texts.hidden}</h2><p class="quiet">${texts.hiddenLead}</p>${takedowns.map((takedown) => hiddenContent(context, takedown, titles, objection))}</section><h2>${texts.mine}</h2>`
}
${
  rows.length > 0
    ? html`<table class="cards dense"><thead><tr><th scope="col">${texts.about}</th><th scope="col">${texts.reason}</th><th scope="col">${texts.when}</th><th scope="col">${texts.state}</th></tr></thead><tbody>${rows}</tbody></table>`
    : html`<p class="quiet">${texts.mineNone}</p>`
}
${pager(context, { page, last, pathOf: (number) => `/reports?page=${number}` })}</div>`,
  }
}

/** Returns the reason of a report. Reports of wrong data from the site have none. */
export const reportReasonText = (
  { reports }: Messages,
  kind: SubjectKind,
  reason: ReportReason,
): string => (kind === 'ENTRY' && reason === 'OTHER' ? '' : reports.reasons[reason])

/** Returns the label of a report's state. Entries are corrected instead of hidden. */
export const reportState = (
  { reports: texts }: Messages,
  { kind, state }: Pick<OwnReport, 'kind' | 'state'>,
): string => (kind === 'ENTRY' && state === 'UPHELD' ? texts.corrected : texts.states[state])

function hiddenContent(
  context: PageContext,
  takedown: Takedown,
  titles: PlaceTitles,
  objection: Objection | undefined,
): Html {
  const { messages, csrfField } = context
  const { reports: texts } = messages
  const {
    id,
    kind,
    place,
    reason,
    note,
    appeal,
    appeal_answer: answer,
    restored_at: restored,
  } = takedown
  const own = objection?.id === id ? objection : undefined
  const fault = own?.fault
  const isDecided = takedown.appeal_decided_at !== null
  return html`<article class="card" id="hidden-${id}"><h3>${texts.kinds[kind]} · ${placeLink(context, place, titles, { isHidden: true })}</h3>
<p>${texts.because}: <strong>${texts.reasons[reason]}</strong>, ${timeElement(context, takedown.hidden_at)}</p><blockquote>${note}</blockquote>
${appeal !== null && html`<p>${texts.yourAppeal}:</p><blockquote>${appeal}</blockquote>`}
${answer !== null && html`<p>${texts.reply}:</p><blockquote>${answer}</blockquote>`}
${
  restored
    ? html`<p>${texts.restored}</p>`
    : appeal === null
      ? html`<form method="post" action="/reports/${id}/appeal">${csrfField()}<div class="field"><label for="appeal-${id}">${texts.appeal}</label><textarea id="appeal-${id}" name="note" rows="4" maxlength="${MAX_NOTE_LENGTH}" required${fault !== undefined && html` aria-invalid="true" aria-describedby="appeal-${id}-error"`}>
${own?.text}</textarea>${fault !== undefined && html`<p class="fault" id="appeal-${id}-error">${fault}</p>`}</div><div class="actions"><button>${texts.objectSend}</button></div></form>`
      : html`<p>${isDecided ? texts.staysHidden : texts.appealed}</p>`
}</article>`
}
