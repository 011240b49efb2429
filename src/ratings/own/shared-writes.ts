import { AsyncLocalStorage } from 'node:async_hooks'
import { byWorkKind, type WorkKind } from '../../catalog/kinds.ts'
import { isRolledBack } from '../../db/constraint-errors.ts'
import type { Database } from '../../db/database.ts'
import { forAnyValue } from '../../db/generic-plan.ts'
import { queryRows } from '../../db/query.ts'
import { statementOf } from '../../db/statement.ts'
import type { RatingChange } from '../fields.ts'
import { saveRating, type RatingKey } from './queries.ts'
import { columnsOf, sqlTypeOf } from './sql-fragments.ts'
import { COMMON_FIELDS, recordSql, save, saveStatement } from './write-statements.ts'

/** Maximum number of ratings that one statement saves. */
const MAX_SHARED = 32
/** Number of statements in flight at which further writes wait, so that they can share a statement. */
const MAX_IN_FLIGHT = 4
/** Maximum time, in milliseconds, for which writes wait before another statement starts. */
const MAX_WAIT_MS = 10

const FIELD_PARAMETERS = COMMON_FIELDS.map((field, index) =>
  forAnyValue(`$${index + 6}::${sqlTypeOf(field)}[]`),
)

/**
 * Builds the statement that saves ratings of several users (decision 0058). Skips ratings that must wait for a lock and
 * those that cannot be saved. Parameters: users `$1`, works `$2` of kind `$3`, apps `$4`, bit mask of the sent fields
 * `$5`, and from `$6` on the values of the common fields. All but `$3` and `$5` are arrays with an element for each rating.
 */
const saveShared = (kind: WorkKind) =>
  save({
    fields: COMMON_FIELDS,
    // Locks held by other transactions: on the user during a ban or an import, on the rating while votes are counted,
    // and on the work during an import, for which the foreign key of a new rating would wait.
    preparation: `requested as materialized (
      select * from unnest(
        ${forAnyValue('$1::bigint[]')}, ${forAnyValue('$2::bigint[]')}, ${forAnyValue('$4::text[]')}, ${FIELD_PARAMETERS.join(', ')}
      ) as requested (account_id, work_id, client_id, ${COMMON_FIELDS.join(', ')})
      -- Limits waits that SKIP LOCKED cannot avoid, such as for a rating that another transaction is inserting.
      where (select set_config('lock_timeout', '20ms', true)) is not null
    ), existing as materialized (
      select rating.account_id, rating.work_id
      from requested
      join ratings rating on rating.account_id = requested.account_id and rating.work_id = requested.work_id
      for no key update of rating skip locked
    ), missing as materialized (
      select requested.account_id, requested.work_id
      from requested
      join work_refs work on work.id = requested.work_id and work.kind = $3 and not work.withdrawn
      where not exists (
        select from ratings rating
        where rating.account_id = requested.account_id and rating.work_id = requested.work_id
      )
      for key share of work skip locked
    ),`,
    accounts: `id = any(${forAnyValue('$1::bigint[]')}) for share skip locked`,
    source: `(
      select requested.*, $3::text as kind
      from (select * from existing union all select * from missing) free
      join requested on requested.account_id = free.account_id and requested.work_id = free.work_id
    ) sent
    join account on account.id = sent.account_id`,
    saved: `saved join requested on requested.account_id = saved.account_id and requested.work_id = saved.work_id`,
    clientId: 'requested.client_id',
    isSent: (index) => `$5::integer & ${2 ** index} <> 0`,
    result: `select ${columnsOf('rating', ['account_id', 'work_id'])}, ${recordSql(kind)} as record from saved rating`,
  })

const SAVE_SHARED = byWorkKind((kind) =>
  statementOf<{ account_id: number; work_id: number; record: string }>(
    `ratings.save_shared_of_${kind}`,
    saveShared(kind),
  ),
)

/** Saves a rating like `saveRating`. */
export type SaveRating = (
  key: RatingKey,
  clientId: string | null,
  change: RatingChange,
) => Promise<string>

type Write = {
  key: RatingKey
  clientId: string | null
  sentBits: unknown
  values: unknown[]
  /** Receives the saved rating as JSON, or `undefined` if the write must run its own statement. */
  resolve: (record: string | undefined) => void
  reject: (error: unknown) => void
}

const pairOf = (accountId: number, workId: number) => `${accountId} ${workId}`

/** Creates the function that saves ratings. Distributed user data rules out a statement for several users. */
export const ratingWrites = (db: Database, isDistributed: boolean): SaveRating =>
  isDistributed ? (...write) => saveRating(db, ...write) : sharedWrites(db)

/**
 * Creates a function that saves ratings. Under load, the writes of several users share a statement and a commit. A lone
 * write does not wait. A write that a shared statement could not save, for whatever reason, runs its own statement.
 */
function sharedWrites(db: Database): SaveRating {
  /** Runs a function outside the context of the current request, so that the request's deadline does not apply. */
  const outside = AsyncLocalStorage.snapshot()
  let waiting: Write[] = []
  let inFlight = 0
  let timer: NodeJS.Timeout | undefined

  /** Takes writes of different ratings that can share a statement, the oldest first. */
  function take(): Write[] {
    const [first] = waiting
    const taken = new Map<string, Write>()
    const left: Write[] = []
    for (const write of waiting) {
      const pair = pairOf(write.key.accountId, write.key.workId)
      const fits =
        taken.size < MAX_SHARED &&
        write.key.kind === first?.key.kind &&
        write.sentBits === first.sentBits &&
        !taken.has(pair)
      if (fits) taken.set(pair, write)
      else left.push(write)
    }
    waiting = left
    return [...taken.values()]
  }

  /** Starts the next statement, even if others are in flight. */
  function startNext() {
    clearTimeout(timer)
    timer = undefined
    const writes = take()
    if (waiting.length > 0) waitForNext()
    if (writes.length === 1) writes[0]?.resolve(undefined)
    else if (writes.length > 1) void outside(() => run(() => saveTogether(db, writes)))
  }

  function waitForNext() {
    timer ??= outside(() => setTimeout(startNext, MAX_WAIT_MS))
  }

  async function run<Result>(statement: () => Promise<Result>): Promise<Result> {
    inFlight += 1
    try {
      return await statement()
    } finally {
      inFlight -= 1
      if (inFlight < MAX_IN_FLIGHT) startNext()
    }
  }

  return async (key, clientId, change) => {
    const { isCommon, parameters } = saveStatement(key.kind, change)
    if (isCommon && inFlight >= MAX_IN_FLIGHT) {
      const [sentBits, ...values] = parameters
      const record = await new Promise<string | undefined>((resolve, reject) => {
        waiting.push({ key, clientId, sentBits, values, resolve, reject })
        waitForNext()
      })
      if (record !== undefined) return record
    }
    return run(() => saveRating(db, key, clientId, change))
  }
}

/** Saves ratings with one statement. Never rejects: each write gets its result or the error. */
async function saveTogether(db: Database, writes: Write[]): Promise<void> {
  const [first] = writes
  if (!first) return
  try {
    const rows = await queryRows(db, SAVE_SHARED[first.key.kind], [
      writes.map(({ key }) => key.accountId),
      writes.map(({ key }) => key.workId),
      first.key.kind,
      writes.map(({ clientId }) => clientId),
      first.sentBits,
      ...COMMON_FIELDS.map((_field, index) => writes.map(({ values }) => values[index])),
    ])
    const records = new Map(
      rows.map(({ account_id, work_id, record }) => [pairOf(account_id, work_id), record]),
    )
    for (const { key, resolve } of writes) resolve(records.get(pairOf(key.accountId, key.workId)))
  } catch (error) {
    // If it is not known whether the statement was committed, nothing is repeated.
    for (const { resolve, reject } of writes)
      if (isRolledBack(error)) resolve(undefined)
      else reject(error)
  }
}
