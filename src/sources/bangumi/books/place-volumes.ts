import { sql } from 'kysely'
import type { Database } from '../../../db/database.ts'
import { createTemporaryTable } from '../../../db/temporary-table.ts'
import type { ImportReport } from '../../records/record.ts'
import { streamRows } from '../../dump/tables/row-streams.ts'
import { BOOK_PLATFORM, BOOK_RELATION, VOLUME_RELATIONS } from '../archive/archive-codes.ts'

/** Where a volume belongs. `relation` is the wiki's word for it. */
export type VolumePlace = {
  work: number
  kind: 'light_novel' | 'manga'
  type: 'MAIN' | 'EXTRA'
  relation: string
  /** Null if the title has no number. In that case, `label` is a word such as `上` or `SS`, or `''` if the title has neither. */
  number: number | null
  label: string
}

const isReadable = (book: string) =>
  sql`${sql.ref(`${book}.platform`)} in (${sql.lit(BOOK_PLATFORM.manga)}, ${sql.lit(BOOK_PLATFORM.novel)})`
const isWork = (book: string) => sql`
  (${sql.ref(`${book}.is_series`)} or exists (select from dump_parents parent where parent.id = ${sql.ref(`${book}.id`)}))`

/**
 * Finds the volumes among the books in `dump_books`, and for each the one work it belongs to, as `dump_places`:
 *
 * 1. the target of `单行本`, or the source of `系列` to a series, when both are mangas or both novels;
 * 2. a side story (`番外篇`) or art book (`画集`) of a novel: an EXTRA volume. Mangas' side stories are works;
 * 3. without any of these, a book whose title is a series' title and a number, with the same platform and an
 *    author in common, when exactly one series is so. Title alone would be a guess.
 *
 * A series is never a volume, nor is a book that has volumes of its own. What several works claim stays with the
 * first. Of two volumes of one work that are editions of each other (`不同版本`) the older entry is the volume.
 *
 * Other editions of volumes are neither volumes nor works: `dump_editions`.
 */
export async function placeVolumes(trx: Database, report: ImportReport): Promise<void> {
  await makePairs(trx)
  await noteContested(trx, report)
  await placeByRelation(trx)
  await placeByTitle(trx)
  await freeOfVolumes(trx)
  await takeEditions(trx)
}

/** Makes `dump_pairs`, the relations that make a volume of a work, and `dump_parents`, the works with volumes of the main story. */
async function makePairs(trx: Database) {
  const { volume, sideStory, artBook } = VOLUME_RELATIONS
  const isOfNovel = sql`source.platform = ${sql.lit(BOOK_PLATFORM.novel)}`
  await createTemporaryTable(trx, 'dump_pairs')`
    select
      relation.n,
      case when relation.type = ${sql.lit(BOOK_RELATION.series)} then target.id else source.id end as work,
      case when relation.type = ${sql.lit(BOOK_RELATION.series)} then source.id else target.id end as volume,
      case relation.type
        when ${sql.lit(BOOK_RELATION.sideStory)} then ${sql.lit(sideStory)}
        when ${sql.lit(BOOK_RELATION.artBook)} then ${sql.lit(artBook)}
        else ${sql.lit(volume)}
      end as relation
    from dump_book_relations relation
    join dump_books source on source.id = relation.subject
    join dump_books target on target.id = relation.related
    where source.id <> target.id
      and case relation.type
        when ${sql.lit(BOOK_RELATION.volume)} then source.platform = target.platform and ${isReadable('source')}
        when ${sql.lit(BOOK_RELATION.series)} then
          source.platform = target.platform and ${isReadable('source')} and target.is_series
        when ${sql.lit(BOOK_RELATION.sideStory)} then source.platform = target.platform and ${isOfNovel}
        when ${sql.lit(BOOK_RELATION.artBook)} then ${isOfNovel} and not (${isReadable('target')})
        else false
      end`
  await createTemporaryTable(
    trx,
    'dump_parents',
  )`select distinct work as id from dump_pairs where relation = ${sql.lit(volume)}`
  await sql`alter table dump_parents add primary key (id)`.execute(trx)
  await sql`
    delete from dump_pairs pair using dump_books book where book.id = pair.volume and ${isWork('book')}`.execute(
    trx,
  )
}

const claims = sql`
  select
    pair.*,
    pair.relation <> ${sql.lit(VOLUME_RELATIONS.volume)} as is_extra,
    first_value(pair.work) over (
      partition by pair.volume order by pair.relation <> ${sql.lit(VOLUME_RELATIONS.volume)}, pair.n
    ) as keeper
  from dump_pairs pair`

async function noteContested(trx: Database, report: ImportReport) {
  const contested = streamRows<{ id: number; title: string }>(
    trx,
    'contested_volumes',
    sql`
      select claim.volume as id, book.title
      from (${claims}) claim
      join dump_books book on book.id = claim.volume
      where claim.work <> claim.keeper
      order by claim.is_extra, claim.n`,
  )
  for await (const rows of contested)
    for (const { id, title } of rows) report.note({ code: 'volume.claimed' }, `${id} ${title}`)
}

async function placeByRelation(trx: Database) {
  await createTemporaryTable(trx, 'dump_places')`
    select distinct on (claim.volume) claim.volume, claim.work, claim.relation
    from (${claims}) claim
    order by claim.volume, claim.is_extra, claim.n`
  await sql`alter table dump_places add primary key (volume)`.execute(trx)
}

async function placeByTitle(trx: Database) {
  await sql`
    insert into dump_places (volume, work, relation)
    select book.id, min(series.id), ${VOLUME_RELATIONS.volume}
    from dump_books book
    join dump_books series
      on series.platform = book.platform
      and series.title = book.base
      and ${isWork('series')}
      and series.authors && book.authors
    where book.base is not null
      and not ${isWork('book')}
      and not exists (select from dump_places place where place.volume = book.id)
    group by book.id
    having count(*) = 1`.execute(trx)
  await sql`analyze dump_places`.execute(trx)
}

/** A volume has no volumes: what was placed under one, or under one whose series is missing, stands for itself. */
async function freeOfVolumes(trx: Database) {
  await sql`
    delete from dump_places place
    using dump_books work
    where work.id = place.work
      and (
        exists (select from dump_places above where above.volume = place.work)
        or (work.base is not null and not ${isWork('work')})
      )`.execute(trx)
}

/** Removes the later of two editions of a volume from its work. */
async function takeEditions(trx: Database) {
  const editions = new Set<number>()
  const pairs = streamRows<{ subject: number; related: number }>(
    trx,
    'editions',
    sql`
      select relation.subject, relation.related
      from dump_book_relations relation
      join dump_places one on one.volume = relation.subject
      join dump_places other on other.volume = relation.related and other.work = one.work
      where relation.type = ${BOOK_RELATION.edition}
      order by relation.n`,
  )
  for await (const rows of pairs)
    for (const { subject, related } of rows)
      if (!editions.has(subject) && !editions.has(related)) editions.add(Math.max(subject, related))
  await createTemporaryTable(trx, 'dump_editions')`select unnest(${[...editions]}::bigint[]) as id`
  await sql`delete from dump_places place using dump_editions edition where edition.id = place.volume`.execute(
    trx,
  )
}
