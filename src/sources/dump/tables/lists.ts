import { sql, type RawBuilder } from 'kysely'
import type { Database } from '../../../db/database.ts'
import { GroupStream } from './row-streams.ts'

/** SQL for the rows that belong to the entries of another table. */
export type ListParts<Item = object> = {
  /** Tables to select from. `item.n` is the position of an item, and `parent.n` the position of its entry. */
  from: RawBuilder<unknown>
  /** Column of each field of an item, such as `item.name`. */
  columns: Readonly<Record<keyof Item & string, string>>
  where?: RawBuilder<unknown>
}

export type ListsOf<Items> = { [List in keyof Items]: Items[List][] }
export type PartsOf<Items> = { readonly [List in keyof Items]: ListParts<Items[List]> }

/**
 * Reads lists of entries in the order of the dump.
 *
 * @param entries name of the table of entries, unique among the open streams
 * @returns a function that returns the lists of the entry at a position. Call it once per entry, in ascending order of
 * position.
 */
export function streamLists<Items extends object>(
  trx: Database,
  entries: string,
  parts: PartsOf<Items>,
): (n: number) => Promise<ListsOf<Items>> {
  const streams = Object.entries<ListParts>(parts).map(
    ([list, own]) => [list, streamItems(trx, `${entries}_${list}`, own)] as const,
  )
  return async (n) => {
    const lists: [string, object[]][] = []
    for (const [list, stream] of streams) lists.push([list, await stream.take(n)])
    // as: the items of the same parts
    return Object.fromEntries(lists) as ListsOf<Items>
  }
}

function streamItems(
  trx: Database,
  name: string,
  { from, columns, where = sql`true` }: ListParts,
): GroupStream<object> {
  const fields = Object.entries<string>(columns)
  const selected = fields.map(([field, column]) => sql`${sql.ref(column)} as ${sql.ref(field)}`)
  const pairs = fields.map(([field]) => sql`${sql.lit(field)}, ${sql.ref(`sorted.${field}`)}`)
  return new GroupStream(
    trx,
    `lists_of_${name}`,
    // Grouping preserves the order of the subquery.
    sql`
      select sorted.parent_n as n, json_agg(json_build_object(${sql.join(pairs)})) as list
      from (
        select parent.n as parent_n, ${sql.join(selected)} from ${from} where ${where} order by parent.n, item.n
      ) sorted
      group by sorted.parent_n
      order by sorted.parent_n`,
  )
}

export const itemColumns = <Name extends string>(...names: Name[]) => tableColumns('item', ...names)

export const tableColumns = <Name extends string>(table: string, ...names: Name[]) =>
  // as: exactly these names
  Object.fromEntries(names.map((name) => [name, `${table}.${name}`])) as Record<Name, string>

/** SQL that joins the rows of `table` whose column `key` is the id of an entry in `parents`. */
export const childRows = (table: string, parents: string, key = 'id') =>
  sql`${sql.table(`dump_${table}`)} item join ${sql.table(`dump_${parents}`)} parent on parent.id = ${sql.ref(`item.${key}`)}`
