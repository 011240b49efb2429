import { sql } from 'kysely'
import { SeededRandom } from '#test/seeded-random.ts'
import { ENTRY_KINDS, KINDS } from '../../src/catalog/kinds.ts'
import { TITLES } from '../../src/curation/derive/source-ranks.ts'
import type { Database } from '../../src/db/database.ts'
import { rebuildIndex } from '../../src/search/index/rebuild.ts'
import { nameMaker } from './make-names.ts'

/** Rows per statement. */
const BATCH = 2_000

/** Share of each kind, as in large catalogs: more characters and people than works. */
const SHARES = [
  ['galgame', 0.25],
  ['light_novel', 0.1],
  ['manga', 0.13],
  ['person', 0.15],
  ['producer', 0.07],
  ['character', 0.3],
] as const

const SAVE = ENTRY_KINDS.map((kind) => {
  const { table, shown } = KINDS[kind]
  const columns = ['id', shown.title, shown.translated, TITLES[kind].others]
  return sql`
    insert into ${sql.table(table)} (${sql.join(columns.map((column) => sql.ref(column)))})
    select id, name, trans, aliases from made where kind = ${kind}`
})

/**
 * Fills an empty catalog with entries that have only realistic names, and indexes them.
 *
 * @returns the duration of the indexing in seconds
 */
export async function fillNames(db: Database, count: number): Promise<number> {
  await sql`set statement_timeout = 0`.execute(db)
  // Without triggers, the changes are not recorded, and no task has to process them.
  await sql`set session_replication_role = replica`.execute(db)
  await sql`create temporary table made (id bigint, kind text, nsfw boolean, name text, trans text, aliases jsonb)`.execute(
    db,
  )
  const make = nameMaker(1)
  const random = new SeededRandom(2)
  for (let begin = 1; begin <= count; begin += BATCH) {
    const rows = Array.from({ length: Math.min(BATCH, count - begin + 1) }, (_, index) => {
      let share = random.next()
      const [kind] = SHARES.find(([, part]) => (share -= part) < 0) ?? SHARES[0]
      const longest = kind === 'person' || kind === 'character' || kind === 'producer' ? 12 : 40
      return {
        id: begin + index,
        kind,
        nsfw: random.chance(0.4),
        name: make(random.chance(0.7) ? 'japanese' : 'latin', longest),
        trans: random.chance(0.6) ? make('chinese', longest) : null,
        aliases: Array.from({ length: random.below(3) }, () =>
          make(random.chance(0.6) ? 'latin' : 'japanese', longest),
        ),
      }
    })
    await sql`truncate made`.execute(db)
    await sql`insert into made select * from jsonb_populate_recordset(null::made, ${JSON.stringify(rows)}::jsonb)`.execute(
      db,
    )
    await sql`insert into works (id, kind, nsfw) select id, kind, nsfw from made
      where kind in ('galgame', 'light_novel', 'manga')`.execute(db)
    for (const statement of SAVE) await statement.execute(db)
  }
  await sql`set session_replication_role = origin`.execute(db)
  const began = performance.now()
  await rebuildIndex(db)
  return (performance.now() - began) / 1_000
}
