import type { FoundEvent } from '../../audit/search-queries.ts'
import { html, type Html } from '../../ui/html.ts'
import type { PageContext } from '../../ui/page/page-context.ts'
import { deskTable, timeText } from '../desk-view.ts'
import { kindName } from '../kind-name.ts'

const SHOWN_LENGTH = 500

/** Shortens a value for display. The log stores field values in full, and they may be long. */
const shortened = (text: string) =>
  text.length > SHOWN_LENGTH ? `${text.slice(0, SHOWN_LENGTH).toWellFormed()}…` : text

/** Renders one row per event, with its details as stored. */
export function eventTable(context: PageContext, events: FoundEvent[]): Html {
  const { columns } = context.messages.desk
  // An action without a reason is an undo.
  const detailText = (name: string, value: unknown) =>
    name === 'reason' && value === ''
      ? context.messages.desk.undone
      : shortened(typeof value === 'string' ? value : JSON.stringify(value))
  const account = (id: number | null, name: string | null) =>
    id !== null && html`<a href="/desk/accounts/${id}">${name ?? id}</a>`
  return deskTable(
    context,
    [
      { text: columns.at },
      { text: columns.event },
      { text: columns.account },
      { text: columns.by },
      { text: columns.app },
      { text: columns.address },
      { text: columns.details, isLong: true },
    ],
    events.map((event) => [
      timeText(context, event.at),
      kindName(context.messages.kindNames.events, event.kind),
      account(event.account_id, event.account_name),
      account(event.actor_id, event.actor_name),
      event.client_id !== null &&
        html`<a href="/desk/apps/${encodeURIComponent(event.client_id)}">${event.client_id}</a>`,
      event.address,
      Object.entries(event.details)
        .map(([name, value]) => `${name}: ${detailText(name, value)}`)
        .join('; '),
    ]),
  )
}
