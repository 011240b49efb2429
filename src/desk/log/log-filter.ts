import { MAX_CLIENT_ID_LENGTH } from '../../apps/rules/client-documents.ts'
import { isClientId } from '../../apps/secrets.ts'
import { EVENT_KINDS } from '../../audit/events.ts'
import type { EventFilter } from '../../audit/search-queries.ts'
import { isId } from '../../http/wire/requests/validation.ts'
import type { Messages } from '../../ui/messages.ts'

const FIELDS = ['account', 'app', 'kind', 'since', 'until'] as const
export type LogField = (typeof FIELDS)[number]

/** ISO date. The year 0 does not exist. */
const DAY = /^(?!0000)\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])$/
/** Maximum length of invalid input that is shown again. */
const MAX_TYPED = 100

export type LogFilter = {
  filter: EventFilter
  /** Input to show in the form. */
  typed: Record<LogField, string>
  /** Errors, keyed by field; empty if all fields are valid. */
  faults: Partial<Record<LogField, string>>
}

/**
 * Reads the filter of the audit log. An invalid field is an error and not an empty filter, because an unfiltered log
 * could be mistaken for the result.
 *
 * @param valueOf returns a query parameter, or an empty string
 * @param knownKinds kinds of stored events, which may come from other versions
 */
export function readLogFilter(
  valueOf: (name: string) => string,
  knownKinds: readonly string[],
  texts: Messages['desk']['log'],
): LogFilter {
  const [account, app, kind, since, until] = ['account', 'app', 'kind', 'since', 'until'].map(
    (name) => valueOf(name).trim(),
  ) as [string, string, string, string, string] // as: `map` preserves the length
  const isKnownKind = [...EVENT_KINDS, ...knownKinds].includes(kind)
  const faults: LogFilter['faults'] = {
    ...(account !== '' && !isId(account) && { account: texts.badAccount }),
    ...(app !== '' && !isClientId(app) && { app: texts.badApp }),
    ...(kind !== '' && !isKnownKind && { kind: texts.badKind }),
    ...(since !== '' && !isDay(since) && { since: texts.badDay }),
    ...(until !== '' &&
      (!isDay(until) ? { until: texts.badDay } : since > until && { until: texts.badSpan })),
  }
  return {
    filter: {
      accountId: account === '' ? undefined : Number(account),
      clientId: app || undefined,
      kind: kind || undefined,
      since: since || undefined,
      until: until || undefined,
    },
    typed: {
      account: account.slice(0, MAX_TYPED),
      app: app.slice(0, MAX_CLIENT_ID_LENGTH),
      kind: kind.slice(0, MAX_TYPED),
      since: since.slice(0, MAX_TYPED),
      until: until.slice(0, MAX_TYPED),
    },
    faults,
  }
}

/** Whether the date exists. */
const isDay = (text: string) => DAY.test(text) && new Date(text).toISOString().startsWith(text)
