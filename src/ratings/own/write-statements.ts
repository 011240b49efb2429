import { statement, statementOf, type Statement } from '../../db/statement.ts'
import { byWorkKind, type WorkKind } from '../../catalog/kinds.ts'
import {
  DEFAULT_RATING,
  RATING_FIELDS,
  ratingFieldsOf,
  type RatingChange,
  type RatingField,
} from '../fields.ts'
import {
  columnsOf,
  countedValues,
  fieldChanges,
  previousFields,
  currentFields,
  absentFields,
  jsonObjectSql,
  ratingMembers,
  snapshotOf,
  sqlTypeOf,
} from './sql-fragments.ts'

/** Statements that write ratings (decision 0013), together with their history and the deltas of the totals. */

type Save = {
  /** Fields that may be written. The other fields of a new rating get their defaults. */
  fields: readonly RatingField[]
  /** Common table expressions that come first, each followed by a comma. */
  preparation?: string
  /** SQL that selects the users' rows and locks them, from `where` on. */
  accounts: string
  /** SQL that joins `account` with `sent`: rows of `work_id`, `kind` and all fields that may be written. */
  source: string
  /** From-item of the saved rows, and of what `clientId` needs. */
  saved?: string
  /** SQL for the id of the app that writes. */
  clientId: string
  /** SQL condition: the field at this index was sent, so it replaces the stored value. */
  isSent: (index: number) => string
  result: string
}

/**
 * Builds a statement that saves ratings. Locks the users' rows against a concurrent ban, and no row that other users'
 * requests wait for. The upsert stores the overwritten fields in `previous`, so `returning` can access both states.
 */
export const save = ({
  fields,
  preparation = '',
  accounts,
  source,
  saved = 'saved',
  clientId,
  isSent,
  result,
}: Save) => `
  with ${preparation} account as (
    select id, hidden, clock_timestamp()::timestamptz(3) as at
    from account_refs
    where ${accounts}
  ), saved as (
    insert into ratings as rating (account_id, work_id, kind, hidden, created_at, updated_at, ${fields.join(', ')})
    select account.id, sent.work_id, sent.kind, account.hidden, account.at, account.at, ${columnsOf('sent', fields)}
    from ${source}
    order by sent.work_id, account.id
    on conflict (account_id, work_id) do update
      set
        previous = ${snapshotOf('rating')},
        updated_at = case
          when ${fields.map((field, index) => `${isSent(index)} and excluded.${field} is distinct from rating.${field}`).join(' or ')}
          then later_time(excluded.updated_at, rating.updated_at)
          else rating.updated_at
        end,
        ${fields.map((field, index) => `${field} = case when ${isSent(index)} then excluded.${field} else rating.${field} end`).join(', ')}
      where rating.kind = excluded.kind
    returning rating.*
  ), history as (
    insert into rating_changes (account_id, work_id, kind, action, client_id, fields)
    select
      saved.account_id, saved.work_id, saved.kind,
      case when saved.previous is null then 'CREATED' else 'CHANGED' end,
      ${clientId}, change.fields
    from ${saved}
    cross join lateral (
      select ${fieldChanges(fields, previousFields('saved.previous'), currentFields('saved'))} as fields offset 0
    ) change
    where saved.previous is null or change.fields <> '{}'
  ), delta as (
    insert into rating_deltas (account_id, work_id, kind, was, becomes)
    select saved.account_id, saved.work_id, saved.kind, counted.was, counted.becomes
    from saved
    cross join lateral (
      select
        case when saved.previous is null then '{}' else ${countedValues(fields, previousFields('saved.previous'))} end as was,
        ${countedValues(fields, currentFields('saved'))} as becomes
      offset 0
    ) counted
    where not saved.hidden and counted.was <> counted.becomes
  )
  ${result}`

/** SQL that joins the user `$1` with a from-item `sent`. */
const sentByOne = (sent: string) => `account cross join ${sent}
    -- Only users who already rated a withdrawn work may change their rating.
    where not exists (select from work_refs gone where gone.id = sent.work_id and gone.withdrawn)
      or exists (select from ratings own where own.account_id = $1 and own.work_id = sent.work_id)`

/** SQL for a rating as one JSON string, because 22 columns would cost more to describe and to parse. */
export const recordSql = (kind: WorkKind) =>
  jsonObjectSql([['id', 'rating.id'], ...ratingMembers(kind)])

/** Fields that most PUTs change. A statement for only these fields takes two thirds of the time. */
export const COMMON_FIELDS: readonly RatingField[] = ['rate', 'status']

/** Number of the first parameter that contains a field. */
const FIRST_FIELD = 6

/**
 * Builds the statement that saves one rating. Parameters: user `$1`, work `$2` of kind `$3`, app `$4`, bit mask of the
 * sent fields `$5`, and from `$6` on the values of all fields, with defaults for fields that were not sent.
 */
const saveOne = (kind: WorkKind, fields: readonly RatingField[]) =>
  save({
    fields,
    // An import by the same user in another process may hold the lock for a long time. Waiting requests must not
    // occupy all connections.
    accounts: `id = $1 and set_config('lock_timeout', '3s', true) is not null for share`,
    source: sentByOne(`(
      select
        $2::bigint as work_id,
        $3::text as kind,
        ${fields.map((field, index) => `$${index + FIRST_FIELD}::${sqlTypeOf(field)} as ${field}`).join(', ')}
    ) sent`),
    clientId: '$4',
    isSent: (index) => `$5::integer & ${2 ** index} <> 0`,
    result: `select ${recordSql(kind)} as record from saved rating`,
  })

type SaveStatement = {
  fields: readonly RatingField[]
  /** Whether the fields are `COMMON_FIELDS`. */
  isCommon: boolean
  save: Statement<{ record: string }>
}

const statementsOf = (kind: WorkKind) => {
  const statementFor = (name: 'common' | 'all', fields: readonly RatingField[]): SaveStatement => ({
    fields,
    isCommon: name === 'common',
    save: statementOf(`ratings.save_${name}_of_${kind}`, saveOne(kind, fields)),
  })
  return {
    common: statementFor('common', COMMON_FIELDS),
    all: statementFor('all', ratingFieldsOf(kind)),
  }
}

const SAVE = byWorkKind(statementsOf)

/** Returns the statement that saves a change, and its parameters from `$5` on. */
export function saveStatement(
  kind: WorkKind,
  change: RatingChange,
): SaveStatement & { parameters: unknown[] } {
  const { common, all } = SAVE[kind]
  const isCommon = Object.entries(change).every(
    ([name, value]) => value === undefined || COMMON_FIELDS.some((field) => field === name),
  )
  const statement = isCommon ? common : all
  let sentBits = 0
  const values = statement.fields.map((field, index) => {
    if (change[field] === undefined) return DEFAULT_RATING[field]
    sentBits |= 2 ** index
    return change[field]
  })
  return { ...statement, parameters: [sentBits, ...values] }
}

/** Builds the statement that saves whole ratings. Parameters: user, ratings (jsonb), app. */
export const SAVE_RATINGS = statement('ratings.save_all').sql(
  save({
    fields: RATING_FIELDS,
    accounts: 'id = $1 for share',
    source: sentByOne(`jsonb_to_recordset($2::jsonb) as sent(
    work_id bigint, kind text, ${RATING_FIELDS.map((field) => `${field} ${sqlTypeOf(field)}`).join(', ')}
  )`),
    clientId: '$3',
    isSent: () => 'true',
    result: 'select count(*) as saved from saved',
  }),
)

/**
 * Deletes the ratings of the user `$1` that match a condition, by the app `$4`. Locks the account before its ratings,
 * like every statement that locks both: the history refers to the account, which may be deleted concurrently.
 */
const deletion = (condition: string) => `
  with account as materialized (
    select id from account_refs where id = $1 for key share
  ), deleted as (
    delete from ratings rating
    using account
    where rating.account_id = $1 and rating.account_id = account.id and ${condition}
    returning rating.*
  ), history as (
    insert into rating_changes (account_id, work_id, kind, action, client_id, fields)
    select
      deleted.account_id, deleted.work_id, deleted.kind, 'DELETED', $4,
      ${fieldChanges(RATING_FIELDS, currentFields('deleted'), absentFields)}
    from deleted
  )
  insert into rating_deltas (account_id, work_id, kind, was, becomes)
  select deleted.account_id, deleted.work_id, deleted.kind, counted.was, '{}'
  from deleted
  cross join lateral (select ${countedValues(RATING_FIELDS, currentFields('deleted'))} as was offset 0) counted
  where not deleted.hidden and counted.was <> '{}'`

/** Deletes the rating of one work. Parameters: user, work, kind, app. */
export const DELETE_RATING = statement('ratings.delete_one').sql(
  deletion('rating.work_id = $2 and rating.kind = $3'),
)

/** Deletes ratings of several works. Parameters: user, works, their kinds, app. */
export const DELETE_RATINGS = statement('ratings.delete_several').sql(
  deletion('(rating.work_id, rating.kind) in (select * from unnest($2::bigint[], $3::text[]))'),
)
