import { sql } from 'kysely'
import type { Database } from '../../src/db/database.ts'
import { withoutIndexes } from './without-indexes.ts'

/** Returns a deterministic number from 0 to 1 for the row `n` and a purpose. */
const pseudoRandom = (purpose: number) =>
  sql`((hashint8(n::bigint * 1000003 + ${sql.lit(purpose)}) & 2147483647) / 2147483648.0)`

/**
 * Returns a random facet value below `max`. Small values are more frequent, and a higher `exponent` increases the
 * difference.
 */
const randomFacetSql = (filter: string, purpose: number, max: number, exponent: number) =>
  sql`mark || ${sql.lit(filter)} || floor(${sql.lit(max)} * power(${pseudoRandom(purpose)}, ${sql.lit(exponent)}))::text`

const randomFacetsSql = (filter: string, purposes: number[], max: number, exponent: number) =>
  sql.join(purposes.map((purpose) => randomFacetSql(filter, purpose, max, exponent)))

/**
 * Fills the read model of lists with `count` listings. A quarter are galgames, with ids from 1, a quarter are other
 * works, the rest characters and people. Works vary like real ones: about 17 facets each, of which many are on few
 * entries and few are on many.
 */
export async function fillListings(db: Database, count: number) {
  // A million rows take longer than a request may.
  await sql`set statement_timeout = 0`.execute(db)
  await sql`truncate listings, listing_facets, catalog_changes_due`.execute(db)
  await sql`update listing_positions set position = (select coalesce(max(id), 0) from catalog_changes)
    where name = 'changes'`.execute(db)
  await withoutIndexes(db, 'listings', () => insertListings(db, count))
  await sql`
    insert into listing_facets (facet, everybody, nsfw)
    select facet, count(*) filter (where not nsfw), count(*) filter (where nsfw)
    from listings cross join unnest(facets) facet
    group by facet`.execute(db)
  await sql`vacuum analyze listings, listing_facets`.execute(db)
}

function insertListings(db: Database, count: number) {
  return sql`
    insert into listings (
      kind, id, nsfw, score, scores, readers, readers_full, released, name, changed_at, facets
    )
    select
      kind, n, nsfw,
      case when rated < 0.5 then 0 else round((1 + 9 * rated)::numeric, 2) end, case when rated < 0.5 then 0 else 1000 end,
      readers, readers, released, md5(n::text), now() - make_interval(secs => 1e8 * ${pseudoRandom(3)}),
      case when mark in ('p', 'c') then array[mark] else array(
        select distinct unnest(array[
          mark,
          mark || 'y' || extract(year from released)::text,
          mark || 's' || (array['RELEASED', 'IN_DEVELOPMENT', 'CANCELLED'])[1 + floor(3 * power(${pseudoRandom(10)}, 2))],
          ${randomFacetsSql('f', [11, 12], 12, 2)},
          ${randomFacetSql('l', 13, 6, 4)},
          ${randomFacetsSql('r', [14, 15], 20_000, 2)},
          ${randomFacetsSql('p', [20, 21, 22, 23, 24], 100_000, 2)},
          ${randomFacetsSql('t', [30, 31, 32, 33, 34, 35], 3_000, 3)}
        ]) as facet
        order by facet
      ) end
    from (
      select
        n, kind, mark,
        ${pseudoRandom(1)} < 0.33 as nsfw,
        ${pseudoRandom(2)} as rated,
        floor(20000 * power(${pseudoRandom(4)}, 8))::bigint as readers,
        date '1985-01-01' + floor(15000 * sqrt(${pseudoRandom(5)}))::integer as released
      from (
        values ('galgame', 'g', 0, 0.25), ('light_novel', 'l', 0.25, 0.35), ('manga', 'm', 0.35, 0.5),
          ('character', 'c', 0.5, 0.8), ('person', 'p', 0.8, 1)
      ) kinds (kind, mark, above, upto)
      cross join lateral generate_series(
        (above * ${sql.lit(count)})::bigint + 1, (upto * ${sql.lit(count)})::bigint
      ) n
    ) entry`.execute(db)
}
