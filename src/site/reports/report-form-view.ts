import { MAX_NOTE_LENGTH, REPORT_REASONS } from '../../moderation/reasons.ts'
import type { Subject } from '../../moderation/subject-queries.ts'
import { html } from '../../ui/html.ts'
import type { PageContext } from '../../ui/page/page-context.ts'
import type { View } from '../../ui/page/page.ts'
import { placeLink, type PlaceTitles } from '../components/place-titles.ts'

type FormData = {
  subject: Subject
  titles: PlaceTitles
  fields: Record<string, string>
  fault: string | undefined
  note: string
  chosen: string
}

export function reportFormView(
  context: PageContext,
  { subject, titles, fields, fault, note, chosen }: FormData,
): View {
  const { messages, csrfField } = context
  const { reports: texts } = messages
  const choices = REPORT_REASONS.map(
    (reason) =>
      html`<label class="check"><input type="radio" name="reason" value="${reason}" required${reason === chosen && html` checked`}><span>${texts.reasons[reason]}</span></label>`,
  )
  const isEntry = subject.kind === 'ENTRY'
  const error = fault !== undefined && html`<p class="fault" id="fault" role="alert">${fault}</p>`
  return {
    title: texts.title,
    head: { robots: 'noindex' },
    styles: ['desk.css'],
    body: html`<div class="report"><h1>${texts.title}</h1>
<p class="lead">${texts.lead}</p>
<p>${texts.about}: ${texts.kinds[subject.kind]} · ${placeLink(context, subject.place, titles)}</p>
<form method="post" action="/report">${csrfField()}${Object.entries(fields).map(
      ([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`,
    )}
${
  !isEntry &&
  html`<fieldset class="reasons tiles"><legend>${texts.reason}</legend>${choices}
${error}</fieldset>`
}
<div class="field"><label for="note">${isEntry ? texts.wrong : texts.note}</label><textarea id="note" name="note" rows="4" maxlength="${MAX_NOTE_LENGTH}"${isEntry && html` required${fault !== undefined && html` aria-invalid="true" aria-describedby="fault"`}`}>
${note}</textarea>${isEntry && error}</div>
<div class="actions"><button>${texts.send}</button></div></form></div>`,
  }
}
