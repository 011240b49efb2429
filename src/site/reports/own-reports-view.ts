import { MAX_NOTE_LENGTH } from '../../moderation/reasons.ts'
import type { OwnReport } from '../../moderation/report-queries.ts'
import type { Takedown } from '../../moderation/takedown-queries.ts'
import { html, type Html } from '../../ui/html.ts'
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
  /** True right after a report was submitted. */
  wasSent: boolean
  /** Objection that could not be submitted, shown again in its takedown's form. */
  objection: Objection | undefined
}

export type Objection = { id: number; text: string; fault?: string }

/** Renders the reports a user has submitted and the user's own content that is hidden. */
export function ownReportsView(
  context: PageContext,
  { reports, takedowns, titles, page, last, wasSent, objection }: OwnReports,
): View {
  const { reports: words } = context.messages
  const rows = reports.map(
    (report) =>
      html`<tr><td data-label="${words.about}">${words.kinds[report.kind]} · ${placeLink(context, report.place, titles)}</td><td data-label="${words.reason}">${words.reasons[report.reason]}</td><td data-label="${words.when}">${timeElement(context, report.created_at)}</td><td data-label="${words.state}">${words.states[report.state]}</td></tr>`,
  )
  return {
    title: words.mine,
    head: { robots: 'noindex' },
    styles: ['desk.css'],
    body: html`<div class="report"><h1>${words.mine}</h1>
${wasSent && html`<div class="notice done cluster" role="status"><p>${words.sent}</p></div>`}
${
  takedowns.length > 0 &&
  html`<section><h2>${words.hidden}</h2><p class="quiet">${words.hiddenLead}</p>${takedowns.map((takedown) => hiddenThing(context, takedown, titles, objection))}</section><h2>${words.mine}</h2>`
}
${
  rows.length > 0
    ? html`<table class="cards dense"><thead><tr><th scope="col">${words.about}</th><th scope="col">${words.reason}</th><th scope="col">${words.when}</th><th scope="col">${words.state}</th></tr></thead><tbody>${rows}</tbody></table>`
    : html`<p class="quiet">${words.mineNone}</p>`
}
${pager(context, { page, last, pathOf: (number) => `/reports?page=${number}` })}</div>`,
  }
}

function hiddenThing(
  context: PageContext,
  takedown: Takedown,
  titles: PlaceTitles,
  objection: Objection | undefined,
): Html {
  const { messages, csrfField } = context
  const { reports: words } = messages
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
  return html`<article class="card" id="hidden-${id}"><h3>${words.kinds[kind]} · ${placeLink(context, place, titles)}</h3>
<p>${words.because}: <strong>${words.reasons[reason]}</strong>, ${timeElement(context, takedown.hidden_at)}</p><blockquote>${note}</blockquote>
${appeal !== null && html`<p>${words.yourObjection}:</p><blockquote>${appeal}</blockquote>`}
${answer !== null && html`<p>${words.answer}:</p><blockquote>${answer}</blockquote>`}
${
  restored
    ? html`<p>${words.restored}</p>`
    : appeal === null
      ? html`<form method="post" action="/reports/${id}/appeal">${csrfField()}<div class="field"><label for="appeal-${id}">${words.object}</label><textarea id="appeal-${id}" name="note" rows="4" maxlength="${MAX_NOTE_LENGTH}" required${fault !== undefined && html` aria-invalid="true" aria-describedby="appeal-${id}-error"`}>
${own?.text}</textarea>${fault !== undefined && html`<p class="fault" id="appeal-${id}-error">${fault}</p>`}</div><div class="actions"><button>${words.objectSend}</button></div></form>`
      : html`<p>${isDecided ? words.staysHidden : words.objected}</p>`
}</article>`
}
