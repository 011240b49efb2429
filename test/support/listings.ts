import { sql } from 'kysely'
import type { Database } from '../../src/db/database.ts'

/** A number from 0 to 1 that belongs to the row `n` and to a purpose, the same each time. */
const chance = (purpose: number) =>
  sql`((hashint8(n::bigint * 1000003 + ${sql.lit(purpose)}) & 2147483647) / 2147483648.0)`

/** A facet with a value below `most`: small ones are frequent, the more so the steeper. */
const facet = (mark: string, purpose: number, most: number, steep: number) =>
  sql`${sql.lit(mark)} || floor(${sql.lit(most)} * power(${chance(purpose)}, ${sql.lit(steep)}))::text`

/**
 * Fills the read model of lists, which follows nothing that was there before, with galgames alone, 1 to `count`, as various as real ones: some 17 facets each, of which
 * many have few entries and few have many.
 */
export async function fillListings(db: Database, count: number) {
  // A million rows take longer than a request may.
  await sql`set statement_timeout = 0`.execute(db)
  await sql`truncate listings, listing_facets, catalog_changes_due`.execute(db)
  await sql`update listing_positions set position = (select coalesce(max(id), 0) from catalog_changes)
    where name = 'changes'`.execute(db)
  const { rows: indexes } = await sql<{ name: string; definition: string }>`
    select indexname as name, indexdef as definition
    from pg_indexes where tablename = 'listings' and indexname <> 'listings_pkey'`.execute(db)
  // Made afterwards: of a million rows, in a fifth of the time.
  for (const { name } of indexes) await sql`drop index ${sql.ref(name)}`.execute(db)
  await sql`
    insert into listings (
      kind, id, nsfw, score, readers, readers_full, released, name, changed_at, facets
    )
    select
      'galgame', n, nsfw,
      case when rated < 0.5 then 0 else round((1 + 9 * rated)::numeric, 2) end,
      readers, readers, released, md5(n::text), now() - make_interval(secs => 1e8 * ${chance(3)}),
      array(
        select distinct unnest(array[
          'g',
          'gy' || extract(year from released)::text,
          'gs' || (array['RELEASED', 'IN_DEVELOPMENT', 'CANCELLED'])[1 + floor(3 * power(${chance(10)}, 2))],
          ${facet('gf', 11, 12, 2)}, ${facet('gf', 12, 12, 2)},
          ${facet('gl', 13, 6, 4)},
          ${facet('gr', 14, 20_000, 2)}, ${facet('gr', 15, 20_000, 2)},
          ${sql.join([20, 21, 22, 23, 24].map((purpose) => facet('gp', purpose, 100_000, 2)))},
          ${sql.join([30, 31, 32, 33, 34, 35].map((purpose) => facet('gt', purpose, 3_000, 3)))}
        ]) as facet
        order by facet
      )
    from (
      select
        n,
        ${chance(1)} < 0.33 as nsfw,
        ${chance(2)} as rated,
        floor(20000 * power(${chance(4)}, 8))::bigint as readers,
        date '1985-01-01' + floor(15000 * sqrt(${chance(5)}))::integer as released
      from generate_series(1, ${sql.lit(count)}) n
    ) galgame`.execute(db)
  for (const { definition } of indexes) await sql.raw(definition).execute(db)
  await sql`
    insert into listing_facets (facet, everybody, nsfw)
    select facet, count(*) filter (where not nsfw), count(*) filter (where nsfw)
    from listings cross join unnest(facets) facet
    group by facet`.execute(db)
  await sql`vacuum analyze listings, listing_facets`.execute(db)
}
