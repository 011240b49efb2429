import { statement, statementOf, type Statement } from '../../db/statement.ts'
import type { WorkKind } from '../../catalog/kinds.ts'
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
  jsonObjectText,
  ratingMembers,
  snapshotOf,
  sqlTypeOf,
} from './sql-fragments.ts'

/** The statements that write records (decision 0013): each with the history, the deltas of totals and the time of the change. */

type Save = {
  /** Those that may be written; of a new record the others are as in one of which nothing was sent. */
  fields: readonly RatingField[]
  /** `sent`, an item of a `from`: rows of `work_id`, `kind` and each of the fields. */
  sent: string
  /** The app that writes. */
  clientId: string
  /** Whether a stored record takes a field of `sent` over. */
  isSent: (place: number) => string
  /** What holds back whoever waits for the reader's row. */
  patience: string
  result: string
}

/**
 * Records of the reader `$1`. The reader's own row is held against a ban at the same time; no row is held that another
 * reader's request waits for. What a stored record said is known to the very statement that overwrites it: it leaves it
 * in `previous`, and what `returning` gives are both.
 */
const save = ({ fields, sent, clientId, isSent, patience, result }: Save) => `
  with reader as (
    select id, banned_at is not null or deletion_requested_at is not null as hidden, clock_timestamp()::timestamptz(3) as at
    from accounts
    where id = $1 ${patience}
    for share
  ), saved as (
    insert into ratings as rating (account_id, work_id, kind, hidden, created_at, updated_at, ${fields.join(', ')})
    select reader.id, sent.work_id, sent.kind, reader.hidden, reader.at, reader.at, ${columnsOf('sent', fields)}
    from reader cross join ${sent}
    -- Of a work that was withdrawn only those who have a record write one.
    where not exists (select from withdrawn_works gone where gone.id = sent.work_id)
      or exists (select from ratings own where own.account_id = $1 and own.work_id = sent.work_id)
    order by sent.work_id
    on conflict (account_id, work_id) do update
      set
        previous = ${snapshotOf('rating')},
        updated_at = case
          when ${fields.map((field, place) => `${isSent(place)} and excluded.${field} is distinct from rating.${field}`).join(' or ')}
          then later_time(excluded.updated_at, rating.updated_at)
          else rating.updated_at
        end,
        ${fields.map((field, place) => `${field} = case when ${isSent(place)} then excluded.${field} else rating.${field} end`).join(', ')}
      where rating.kind = excluded.kind
    returning rating.*
  ), history as (
    insert into rating_changes (account_id, work_id, kind, action, client_id, fields)
    select
      saved.account_id, saved.work_id, saved.kind,
      case when saved.previous is null then 'CREATED' else 'CHANGED' end,
      ${clientId}, change.fields
    from saved
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

/** What most PUTs change. A statement of these alone takes two thirds of the time of one of all fields. */
const MARKS: readonly RatingField[] = ['rate', 'status']

const FIRST_FIELD = 6

/**
 * The reader `$1`, the work `$2` of kind `$3`, the app `$4`; which fields are laid over a stored record, a bit each, `$5`;
 * and from `$6` on all of them, those not sent as in a record of which nothing was. Its result is the record as JSON in wire
 * shape: of 22 columns PostgreSQL would describe each in every answer, and the service reads each.
 */
const saveOne = (kind: WorkKind, fields: readonly RatingField[]) =>
  save({
    fields,
    sent: `(
      select
        $2::bigint as work_id,
        $3::text as kind,
        ${fields.map((field, place) => `$${place + FIRST_FIELD}::${sqlTypeOf(field)} as ${field}`).join(', ')}
    ) sent`,
    clientId: '$4',
    isSent: (place) => `$5::integer & ${2 ** place} <> 0`,
    // An import of the same reader in another process may hold it for long: a few requests must not wait on every connection.
    patience: `and set_config('lock_timeout', '3s', true) is not null`,
    result: `select ${jsonObjectText([['id', 'rating.id'], ...ratingMembers(kind)])} as record from saved rating`,
  })

type SaveStatement = { fields: readonly RatingField[]; save: Statement<{ record: string }> }

const statementsOf = (kind: WorkKind) => {
  const statementOfFields = (name: string, fields: readonly RatingField[]): SaveStatement => ({
    fields,
    save: statementOf(`ratings.save_${name}_of_${kind}`, saveOne(kind, fields)),
  })
  return {
    marks: statementOfFields('marks', MARKS),
    all: statementOfFields('all', ratingFieldsOf(kind)),
  }
}

const SAVE = {
  galgame: statementsOf('galgame'),
  light_novel: statementsOf('light_novel'),
  manga: statementsOf('manga'),
}

/** The statement that saves a change of a record of such a work, and its parameters from `$5` on. */
export function saveStatement(
  kind: WorkKind,
  change: RatingChange,
): SaveStatement & { parameters: unknown[] } {
  const { marks, all } = SAVE[kind]
  const isOfMarks = Object.entries(change).every(
    ([name, value]) => value === undefined || MARKS.some((field) => field === name),
  )
  const { fields, save: statement } = isOfMarks ? marks : all
  let sentBits = 0
  const values = fields.map((field, place) => {
    if (change[field] === undefined) return DEFAULT_RATING[field]
    sentBits |= 2 ** place
    return change[field]
  })
  return { fields, save: statement, parameters: [sentBits, ...values] }
}

/** The reader `$1`, whole records `$2` (jsonb), the app `$3`. */
export const SAVE_RATINGS = statement('ratings.save_all').sql(
  save({
    fields: RATING_FIELDS,
    sent: `jsonb_to_recordset($2::jsonb) as sent(
    work_id bigint, kind text, ${RATING_FIELDS.map((field) => `${field} ${sqlTypeOf(field)}`).join(', ')}
  )`,
    clientId: '$3',
    isSent: () => 'true',
    patience: '',
    result: 'select count(*) as saved from saved',
  }),
)

/**
 * Deletes records of the reader `$1`, of works that `ofWorks` says of `rating`. The account before the record, as all who
 * lock both: the history belongs to the account, which may just be leaving.
 */
const deletion = (ofWorks: string, clientId: string) => `
  with reader as materialized (
    select id from accounts where id = $1 for key share
  ), deleted as (
    delete from ratings rating
    using reader
    where rating.account_id = $1 and rating.account_id = reader.id and ${ofWorks}
    returning rating.*
  ), history as (
    insert into rating_changes (account_id, work_id, kind, action, client_id, fields)
    select
      deleted.account_id, deleted.work_id, deleted.kind, 'DELETED', ${clientId},
      ${fieldChanges(RATING_FIELDS, currentFields('deleted'), absentFields)}
    from deleted
  )
  insert into rating_deltas (account_id, work_id, kind, was, becomes)
  select deleted.account_id, deleted.work_id, deleted.kind, counted.was, '{}'
  from deleted
  cross join lateral (select ${countedValues(RATING_FIELDS, currentFields('deleted'))} as was offset 0) counted
  where not deleted.hidden and counted.was <> '{}'`

/** The reader `$1`, the work `$2` of kind `$3`, the app `$4`. */
export const DELETE_RATING = statement('ratings.delete_one').sql(
  deletion('rating.work_id = $2 and rating.kind = $3', '$4'),
)

/** The reader `$1`, the works `$2` of the kinds `$3`, the app `$4`. */
export const DELETE_RATINGS = statement('ratings.delete_several').sql(
  deletion(
    '(rating.work_id, rating.kind) in (select * from unnest($2::bigint[], $3::text[]))',
    '$4',
  ),
)
