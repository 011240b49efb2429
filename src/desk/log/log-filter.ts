import { EVENT_KINDS } from '../../audit/events.ts'
import type { EventFilter } from '../../audit/search-queries.ts'
import { isId } from '../../http/wire/requests/validation.ts'
import type { Messages } from '../../ui/messages.ts'

const FIELDS = ['account', 'app', 'kind', 'since', 'until'] as const
export type LogField = (typeof FIELDS)[number]

/** There is no year 0. */
const DAY = /^(?!0000)\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])$/
const CLIENT_ID = /^[\w-]{1,64}$/
/** Characters of what was typed that a refused form shows again. */
const MAX_TYPED = 100

export type LogFilter = {
  filter: EventFilter
  /** What was typed, for the form. */
  asked: Record<LogField, string>
  /** What is wrong with it; empty: nothing. */
  faults: Partial<Record<LogField, string>>
}

/**
 * Reads what is looked for in the audit log. A field that cannot be is a fault, and never the same as an empty one: a search
 * that finds everything would be taken for one that found it.
 *
 * @param valueOf of a parameter of the address; empty: not asked for
 * @param knownKinds of events, beside those of this version
 */
export function readLogFilter(
  valueOf: (name: string) => string,
  knownKinds: readonly string[],
  words: Messages['desk']['log'],
): LogFilter {
  const [account, app, kind, since, until] = ['account', 'app', 'kind', 'since', 'until'].map(
    (name) => valueOf(name).trim(),
  ) as [string, string, string, string, string] // as: `map` keeps how many there are
  const isKnownKind = [...EVENT_KINDS, ...knownKinds].includes(kind)
  const faults: LogFilter['faults'] = {
    ...(account !== '' && !isId(account) && { account: words.badAccount }),
    ...(app !== '' && !CLIENT_ID.test(app) && { app: words.badApp }),
    ...(kind !== '' && !isKnownKind && { kind: words.badKind }),
    ...(since !== '' && !isDay(since) && { since: words.badDay }),
    ...(until !== '' &&
      (!isDay(until) ? { until: words.badDay } : since > until && { until: words.badSpan })),
  }
  return {
    filter: {
      accountId: account === '' ? undefined : Number(account),
      clientId: app || undefined,
      kind: kind || undefined,
      since: since || undefined,
      until: until || undefined,
    },
    asked: {
      account: account.slice(0, MAX_TYPED),
      app: app.slice(0, MAX_TYPED),
      kind: kind.slice(0, MAX_TYPED),
      since: since.slice(0, MAX_TYPED),
      until: until.slice(0, MAX_TYPED),
    },
    faults,
  }
}

/** Whether there is such a day. */
const isDay = (text: string) => DAY.test(text) && new Date(text).toISOString().startsWith(text)
