import { sql } from 'kysely'
import type { Database } from '../../src/db/database.ts'

/** Number of distinct texts in the rows: enough that no two neighbors are alike, and few enough to generate at once. */
const TEXTS = 1_000

/**
 * Fills an empty catalog with galgames 1 to `count`. Each detail is about 2.8 kB of Chinese and Japanese text.
 * Characters are drawn evenly from a few thousand, so that rows compress no better than real ones.
 */
export async function fillCatalog(db: Database, count: number) {
  // Pool connections limit a statement to half a minute, and the caller's pool has only one connection.
  await sql`set statement_timeout = 0`.execute(db)
  await sql`
    create unlogged table bench_texts as
    select
      number,
      (select string_agg(chr(19968 + (hashint8(number * 7919 + i) & 4095)), '') from generate_series(1, 190) i) as origin,
      (select string_agg(chr(19968 + (hashint8(number * 6007 + i) & 2047)), '') from generate_series(1, 170) i) as trans
    from generate_series(0, ${sql.lit(TEXTS - 1)}) number`.execute(db)
  await sql`
    insert into works (id, kind, nsfw, tags)
    select
      n,
      'galgame',
      false,
      jsonb_build_array(
        jsonb_build_object('name', substr(texts.trans, 20, 3), 'likes', n % 90),
        jsonb_build_object('name', substr(texts.trans, 30, 4), 'likes', n % 40)
      )
    from generate_series(1, ${sql.lit(count)}) n
    join bench_texts texts on texts.number = n % ${sql.lit(TEXTS)}`.execute(db)
  await sql`insert into work_refs (id, kind) select id, kind from works`.execute(db)
  await sql`
    insert into galgames (
      id, origin_title, trans_title, aliases, covers, images, release_date, origin_intro, trans_intro, adv_type,
      platforms, homepage, engine, origin_lang, dev_status, prices
    )
    select
      n,
      substr(texts.origin, 1, 12) || n,
      substr(texts.trans, 1, 10),
      jsonb_build_array(substr(texts.origin, 40, 8), substr(texts.trans, 40, 8)),
      jsonb_build_array(${media('cv', 1, 'votes')}, ${media('cv', 2, 'votes')}),
      jsonb_build_array(${media('sf', 1)}, ${media('sf', 2)}, ${media('sf', 3)}),
      date '1996-01-01' + n % 10000,
      texts.origin,
      texts.trans,
      'ADV',
      '["win", "swi", "and"]',
      'https://' || md5(n::text) || '.example.org/',
      'KiriKiri',
      'ja',
      'RELEASED',
      jsonb_build_array(
        jsonb_build_object('version', substr(texts.origin, 80, 3), 'amount', 9800, 'currency', 'JPY', 'tax_included', false)
      )
    from generate_series(1, ${sql.lit(count)}) n
    join bench_texts texts on texts.number = n % ${sql.lit(TEXTS)}`.execute(db)
  await sql`drop table bench_texts`.execute(db)
  // Otherwise the service would process a million changes while it is measured.
  await sql`truncate catalog_changes_due`.execute(db)
  await sql`vacuum analyze works, galgames`.execute(db)
}

/** SQL for one picture of the galgame `n`. */
function media(folder: string, number: number, votes?: 'votes') {
  return sql`jsonb_build_object(
    'url', 'https://img.example.org/${sql.raw(folder)}/' || n % 100 || '/' || n * ${sql.lit(number)} || '.jpg',
    'width', 1920, 'height', 1080, 'sexual', 0, 'violence', 0 ${votes ? sql`, 'votes', n % 30` : sql``})`
}
