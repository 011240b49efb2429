import type { FoundEvent } from '../../audit/search-queries.ts'
import { html } from '../../pages/html.ts'
import type { PageContext } from '../../pages/page-context.ts'
import type { View } from '../../pages/page.ts'
import { deskView } from './desk-view.ts'
import { eventTable } from './event-table.ts'

type LogData = {
  events: FoundEvent[]
  kinds: string[]
  /** What is looked for, by the parameters of the address. */
  asked: Record<'account' | 'app' | 'kind' | 'since' | 'until', string | undefined>
  /** Behind which id the next page begins. */
  next: number | undefined
}

/** What happened, and a form to look for some of it. */
export function logView(context: PageContext, { events, kinds, asked, next }: LogData): View {
  const { desk: words } = context.messages
  const { columns } = words
  const parameters = new URLSearchParams(
    Object.entries(asked).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  )
  if (next !== undefined) parameters.set('before', String(next))
  return deskView(context, {
    part: 'log',
    lead: words.log.lead,
    body: html`<form method="get" action="/desk/log" class="desk-find">
<label>${columns.account}<input name="account" value="${asked.account}" inputmode="numeric" maxlength="15" autocomplete="off"></label>
<label>${columns.app}<input name="app" value="${asked.app}" maxlength="64" autocomplete="off"></label>
<label>${columns.event}<select name="kind"><option value=""></option>${kinds.map((kind) => html`<option${kind === asked.kind && html` selected`}>${kind}</option>`)}</select></label>
<label>${words.log.since}<input type="date" name="since" value="${asked.since}"></label>
<label>${words.log.until}<input type="date" name="until" value="${asked.until}"></label>
<button class="secondary">${words.find}</button></form>
${eventTable(context, events)}
${next !== undefined && html`<p><a href="/desk/log?${parameters.toString()}">${words.more}</a></p>`}`,
  })
}
