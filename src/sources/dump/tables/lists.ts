import { sql, type RawBuilder } from 'kysely'
import type { Database } from '../../../db/database.ts'
import { GroupStream } from './row-streams.ts'

/** Where the items of lists are: `item` is their table, `parent` that of what they belong to. */
export type ListParts = {
  /** SQL: what is selected from, with `item.n`, the place of an item, and `parent.n`, that of its parent. */
  from: RawBuilder<unknown>
  /** SQL: the columns of an item, as `item.name` or of what is joined. */
  columns: string[]
  /** Further columns that what is made of the items depends on. */
  dependsOn?: string[]
  where?: RawBuilder<unknown>
}

/** The lists of all parents, each item an array of its columns, in the order of the dump. */
export function listsBy<Item extends unknown[]>(
  trx: Database,
  name: string,
  { from, columns, where = sql`true` }: ListParts,
): GroupStream<Item> {
  const named = columns.map(
    (column, index) => sql`${sql.ref(column)} as ${sql.ref(`column_${index}`)}`,
  )
  const values = columns.map((_, index) => sql.ref(`sorted.column_${index}`))
  return new GroupStream<Item>(
    trx,
    `lists_of_${name}`,
    // What is sorted below is grouped in that order.
    sql`
      select sorted.n, json_agg(json_build_array(${sql.join(values)})) as list
      from (select parent.n, ${sql.join(named)} from ${from} where ${where} order by parent.n, item.n) sorted
      group by sorted.n
      order by sorted.n`,
  )
}

/** The rows of `table` whose column `key` is the id of an entry in `parents`. */
export const childRows = (table: string, parents: string, key = 'id') =>
  sql`${sql.table(`dump_${table}`)} item join ${sql.table(`dump_${parents}`)} parent on parent.id = ${sql.ref(`item.${key}`)}`

/** The same for links to other sites, each with its site and value. */
export const linkParts = (parents: string): ListParts => ({
  from: sql`${childRows(`${parents}_extlinks`, parents)} join dump_extlinks extlink on extlink.id = item.link`,
  columns: ['extlink.site', 'extlink.value'],
})
export const linksOf = (trx: Database, parents: string) =>
  listsBy<[site: string, value: string]>(trx, `${parents}_extlinks`, linkParts(parents))
