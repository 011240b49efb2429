import { forAnyValue } from '../db/generic-plan.ts'
import { statementOf, type Statement } from '../db/statement.ts'
import type { QueriedResponse } from './cache/cached-response.ts'
import { KINDS, type EntryKind, type WorkKind } from './kinds.ts'

/**
 * Statements behind the catalog's routes. Each text is constant and prepared once; values from requests are parameters.
 */

/** Returns one row for each requested entry that exists, with its detail as JSON in `data`. */
export type DetailStatement = Statement<DetailRow, readonly [ids: readonly number[]]>
type DetailRow = QueriedResponse & { id: number }

/**
 * Builds a statement that returns a row `{id, nsfw, data}` for each entry with an id in `$1`. People, producers and
 * characters are never adult content.
 *
 * @param select SQL for the response's fields, read from `work` and the kind's table
 * @param from SQL for an additional row from which fields are read
 */
export function detailStatement(kind: EntryKind, select: string, from?: string): DetailStatement {
  const { table, isWork } = KINDS[kind]
  return statementOf<DetailRow, readonly [ids: readonly number[]]>(
    `catalog.${kind}`,
    `
  select ${table}.id, ${isWork ? 'work.nsfw' : 'false as nsfw'}, (select row_to_json(detail)::text from (select ${select} ${from ? `from ${from}` : ''}) detail) as data
  from ${isWork ? `works work join ${table} on ${table}.id = work.id` : table}
  where ${table}.id = any(${forAnyValue('$1::bigint[]')})`,
  )
}

/**
 * Returns a row like that of `DetailStatement`, with the first page of each part named in `$2` as its own list returns
 * it. `$3` is the length of the page, and `$4` whether the caller sees nsfw works.
 */
export type DetailWithPartsStatement = Statement<
  DetailRow & { parts: Record<string, { total: number; data: string } | null> },
  readonly [ids: readonly number[], parts: readonly string[], limit: number, seesNsfw: boolean]
>

/** Builds the statement that returns entries with parts, from the parts' lists. */
export function detailWithPartsStatement(
  kind: WorkKind,
  {
    select,
    from,
    lists,
  }: { select: string; from: string | undefined; lists: Record<string, WorkList> },
): DetailWithPartsStatement {
  const { table } = KINDS[kind]
  const parts = Object.entries(lists).map(
    ([
      name,
      { part },
    ]) => `'${name}', case when '${name}' = any(${forAnyValue('$2::text[]')}) then json_build_object(
      'total', (select count(*) ${part.rows}),
      'data', (
        select coalesce(json_agg(row_to_json(entry)), '[]')::text
        from (select ${part.select} ${part.rows} order by ${part.orderBy} limit ${forAnyValue('$3::bigint')}) entry
      )
    ) end`,
  )
  return statementOf(
    `catalog.${kind}_with_parts`,
    `
  select
    ${table}.id,
    work.nsfw,
    (select row_to_json(detail)::text from (select ${select} ${from ? `from ${from}` : ''}) detail) as data,
    json_build_object(${parts.join(', ')}) as parts
  from works work join ${table} on ${table}.id = work.id
  where ${table}.id = any(${forAnyValue('$1::bigint[]')}) and $4::boolean is not null`,
  )
}

type ListStatement = Statement<QueriedResponse>

/** A work's list. Parameters: `$1` work, `$2` offset, `$3` limit (null for no limit), followed by the filters. */
export type WorkList = {
  statement: ListStatement
  /** Statements for the other sort orders, keyed by the value of `sort`. */
  statementBySort: ReadonlyMap<string, ListStatement>
  /**
   * Query parameters that filter the list, with their allowed values. Bound to the parameters from `$4` on, null if
   * not sent.
   */
  filters: Readonly<Record<string, readonly string[]>>
  /** True if the last parameter says whether the caller sees nsfw works. */
  hidesNsfw: boolean
  /** SQL of the list as a part of a work, without filters (`detailWithPartsStatement`). */
  part: { select: string; rows: string; orderBy: string }
}

type ListParts = {
  kind: WorkKind
  /** Name of the list, used in the statement's name. */
  name: string
  /** SQL for the response's fields. */
  select: string
  from: string
  /** SQL condition that selects the rows that belong to `work`. */
  where: string
  /** Filters, keyed by query parameter, each with the column to compare and the allowed values. */
  filters?: Record<string, { column: string; values: readonly string[] }>
  /** Alias of each item's `works` row. Nsfw items are hidden from callers without access. */
  hidesNsfw?: string
  orderBy: string
  /** Other sort orders, keyed by the value of the query parameter `sort`. */
  sorts?: Record<string, string>
}

/**
 * Builds a statement that returns one row `{nsfw, total, data}`, or none if the work does not exist. `data` is a
 * page of the list and `total` the length of the whole list.
 */
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
    part: {
      select,
      rows: `from ${from} where ${[where, ...(hidesNsfw ? [`($4::boolean or not ${hidesNsfw}.nsfw)`] : [])].join(' and ')}`,
      orderBy,
    },
  }
}

type CreditParts = {
  kind: WorkKind
  /** Suffix of the table's name: `staff` for `galgame_staff`. */
  list: string
  /** Name of the list if it differs from the table's. */
  name?: string
  target: 'person' | 'producer' | 'character'
  /** SQL for the response's fields, read from `credit` and the target. */
  select: string
  /** Columns of `credit` that requests can filter by, with the allowed values. */
  filters?: Record<string, readonly string[]>
  /** SQL condition, for a list that shows only some rows of the table. */
  only?: string
  /** SQL for additional joins that the fields need. */
  join?: string
}

/** Builds the list of a work's people, producers or characters, in billing order. */
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
