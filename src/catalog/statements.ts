import { statementOf, type Statement } from '../db/statement.ts'
import type { QueriedResponse } from './cache/cached-response.ts'
import { KINDS, type EntryKind, type WorkKind } from './kinds.ts'

/**
 * The statements behind the catalog's routes, each a constant text that is prepared once: what a request says comes in as
 * parameters.
 */

/** One row of each entry asked for; `data` is its detail as JSON. */
export type DetailStatement = Statement<DetailRow, readonly [ids: readonly number[]]>
type DetailRow = QueriedResponse & { id: number }

/**
 * One row `{id, nsfw, data}` for each entry with an id in `$1`. People, producers and characters are never adult content.
 *
 * @param select the answer's fields, of `work` and the kind's own table
 * @param from SQL of one more row that the fields are read from
 */
export function detailStatement(kind: EntryKind, select: string, from?: string): DetailStatement {
  const { table, isWork } = KINDS[kind]
  return statementOf<DetailRow, readonly [ids: readonly number[]]>(
    `catalog.${kind}`,
    `
  select ${table}.id, ${isWork ? 'work.nsfw' : 'false as nsfw'}, (select row_to_json(detail)::text from (select ${select} ${from ? `from ${from}` : ''}) detail) as data
  from ${isWork ? `works work join ${table} on ${table}.id = work.id` : table}
  where ${table}.id = any($1::bigint[])`,
  )
}

type ListStatement = Statement<QueriedResponse>

/** A list of a work, as routes ask for it: with `$1` the work, `$2` offset, `$3` limit (null for all) and what filters it. */
export type WorkList = {
  statement: ListStatement
  /** The same in the orders a request may choose from, by the value of `sort`. */
  statementBySort: ReadonlyMap<string, ListStatement>
  /** Query parameters that filter it, each with its values: `$4` and on, null where one is not sent. */
  filters: Readonly<Record<string, readonly string[]>>
  /** Whether the last parameter is whether the caller sees nsfw works. */
  hidesNsfw: boolean
}

type ListParts = {
  kind: WorkKind
  /** In the name of the statement. */
  name: string
  /** The answer's fields. */
  select: string
  from: string
  /** Which rows are in the list of `work`. */
  where: string
  /** Query parameters, each with the column it compares and the values it may have. */
  filters?: Record<string, { column: string; values: readonly string[] }>
  /** The `works` row of each item, where one that is nsfw is hidden from whoever may not know of it. */
  hidesNsfw?: string
  orderBy: string
  /** Other orders, by the value of the query parameter `sort`. */
  sorts?: Record<string, string>
}

/** One row `{nsfw, total, data}` of the work, or none: `data` a window of its list, `total` the length of the whole. */
export function workList({
  kind,
  name,
  select,
  from,
  where,
  filters = {},
  hidesNsfw,
  orderBy,
  sorts = {},
}: ListParts): WorkList {
  const conditions = [
    where,
    ...Object.values(filters).map(({ column }, index) => {
      const parameter = `$${index + 4}`
      return `(${parameter}::text is null or ${column} = ${parameter})`
    }),
  ]
  if (hidesNsfw) conditions.push(`($${conditions.length + 3}::boolean or not ${hidesNsfw}.nsfw)`)
  const rows = `from ${from} where ${conditions.join(' and ')}`
  const statementIn = (label: string, order: string) =>
    statementOf<QueriedResponse>(
      `catalog.${kind}_${label}`,
      `
  select
    work.nsfw,
    (select count(*) ${rows}) as total,
    (
      select coalesce(json_agg(row_to_json(entry)), '[]')::text
      from (select ${select} ${rows} order by ${order} offset $2 limit $3) entry
    ) as data
  from shown_works work
  where work.id = $1 and work.kind = '${kind}'`,
    )
  return {
    statement: statementIn(name, orderBy),
    statementBySort: new Map(
      Object.entries(sorts).map(([sort, order]) => [
        sort,
        statementIn(`${name}_by_${sort}`, order),
      ]),
    ),
    filters: Object.fromEntries(
      Object.entries(filters).map(([name, { values }]) => [name, values]),
    ),
    hidesNsfw: hidesNsfw !== undefined,
  }
}

type CreditParts = {
  kind: WorkKind
  /** What its table is called after the kind: `staff` in `galgame_staff`. */
  list: string
  /** In the name of the statement, where it is not that of the table. */
  name?: string
  target: 'person' | 'producer' | 'character'
  /** The answer's fields, of `credit` and the target. */
  select: string
  /** Columns of `credit` that a request filters by, each with the values it may ask for. */
  filters?: Record<string, readonly string[]>
  /** Of a list that is a part of the table. */
  only?: string
  /** SQL: additional joins that the fields need. */
  join?: string
}

/** The people, producers or characters of a work, in billing order. */
export function creditList({
  kind,
  list,
  name = list,
  target,
  select,
  filters = {},
  only,
  join = '',
}: CreditParts): WorkList {
  return workList({
    kind,
    name,
    select,
    from: `${kind}_${list} credit join ${KINDS[target].table} ${target} on ${target}.id = credit.${target}_id ${join}`,
    where: `credit.${kind}_id = work.id${only ? ` and ${only}` : ''}`,
    filters: Object.fromEntries(
      Object.entries(filters).map(([name, values]) => [name, { column: `credit.${name}`, values }]),
    ),
    orderBy: `credit.position, credit.${target}_id`,
  })
}
