import { MAX_CLIENT_ID_LENGTH } from '../../apps/rules/client-documents.ts'
import type { FoundEvent } from '../../audit/search-queries.ts'
import { html, type Html } from '../../ui/html.ts'
import type { PageContext } from '../../ui/page/page-context.ts'
import type { View } from '../../ui/page/page.ts'
import { deskView } from '../desk-view.ts'
import { eventTable } from './event-table.ts'
import { labelFor } from '../../site/entry/labels.ts'
import type { LogField, LogFilter } from './log-filter.ts'

type LogData = {
  events: FoundEvent[]
  kinds: string[]
  /** Filter as entered, keyed by query parameter, and its errors. */
  typed: LogFilter['typed']
  faults: LogFilter['faults']
  /** ID after which the next page starts. */
  next: number | undefined
}

/** Renders the audit log and its filter form. */
export function logView(
  context: PageContext,
  { events, kinds, typed, faults, next }: LogData,
): View {
  const { desk: texts, kindNames } = context.messages
  const { columns } = texts
  const parameters = new URLSearchParams(
    Object.entries(typed).flatMap(([name, value]) => (value === '' ? [] : [[name, value]])),
  )
  if (next !== undefined) parameters.set('before', String(next))
  const fault = (field: LogField) =>
    faults[field] !== undefined &&
    html`<span class="fault" id="log-${field}-error">${faults[field]}</span>`
  const marked = (field: LogField) =>
    faults[field] !== undefined && html` aria-invalid="true" aria-describedby="log-${field}-error"`
  const option = (kind: string): Html => {
    const name = labelFor(kindNames.events, kind)
    return html`<option value="${kind}"${kind === typed.kind && html` selected`}>${name === kind ? kind : `${name} (${kind})`}</option>`
  }
  const isRefused = Object.keys(faults).length > 0
  return deskView(context, {
    part: 'log',
    lead: texts.log.lead,
    body: html`<form method="get" action="/desk/log" class="desk-find cluster">
<label>${columns.account}<input name="account" value="${typed.account}" inputmode="numeric" maxlength="15" autocomplete="off"${marked('account')}>${fault('account')}</label>
<label>${columns.app}<input name="app" value="${typed.app}" maxlength="${MAX_CLIENT_ID_LENGTH}" autocomplete="off"${marked('app')}>${fault('app')}</label>
<label>${columns.event}<select name="kind"${marked('kind')}><option value=""></option>${kinds.map(option)}</select>${fault('kind')}</label>
<label>${texts.log.since}<input type="date" name="since" value="${typed.since}"${marked('since')}>${fault('since')}</label>
<label>${texts.log.until}<input type="date" name="until" value="${typed.until}"${marked('until')}>${fault('until')}</label>
<button class="secondary">${texts.find}</button></form>
${!isRefused && eventTable(context, events)}
${next !== undefined && html`<p><a href="/desk/log?${parameters.toString()}">${texts.more}</a></p>`}`,
  })
}
