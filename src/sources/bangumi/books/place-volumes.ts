import { sql } from 'kysely'
import type { Database } from '../../../db/database.ts'
import { createTemporaryTable } from '../../../db/temporary-table.ts'
import type { ImportReport } from '../../records/record.ts'
import { streamRows } from '../../dump/tables/row-streams.ts'
import { BOOK_PLATFORM, BOOK_RELATION, VOLUME_RELATIONS } from '../archive/archive-codes.ts'

/** Place of a volume in its work. `relation` is the wiki's word for the relation between the two. */
export type VolumePlace = {
  work: number
  kind: 'light_novel' | 'manga'
  type: 'MAIN' | 'EXTRA'
  relation: string
  /**
   * Null if the title contains no number. In that case, `label` is a word such as `上` or `SS`, or `''` if the title
   * contains neither.
   */
  number: number | null
  label: string
}

const isReadable = (book: string) =>
  sql`${sql.ref(`${book}.platform`)} in (${sql.lit(BOOK_PLATFORM.manga)}, ${sql.lit(BOOK_PLATFORM.novel)})`
const isWork = (book: string) => sql`
  (${sql.ref(`${book}.is_series`)} or exists (select from dump_parents parent where parent.id = ${sql.ref(`${book}.id`)}))`

/**
 * Finds the volumes among `dump_books` and stores the one work of each in `dump_places`:
 *
 * 1. The target of `单行本`, or the source of `系列` to a series, if both are mangas or both novels.
 * 2. A side story (`番外篇`) or art book (`画集`) of a novel, as an EXTRA volume. Side stories of mangas are works.
 * 3. Otherwise a book whose title is the title of exactly one series plus a number, with the same platform and a
 * common author. The title alone would be a guess.
 *
 * A series is never a volume, nor is a book that has volumes. If several works claim a volume, the first one
 * gets it. Of two editions (`不同版本`) of a volume, the older entry is the volume, and the other one is neither volume
 * nor work (`dump_editions`).
 */
export async function placeVolumes(trx: Database, report: ImportReport): Promise<void> {
  await createVolumePairs(trx)
  await reportContested(trx, report)
  await placeByRelation(trx)
  await placeByTitle(trx)
  await removeNestedVolumes(trx)
  await removeEditions(trx)
}

/** Creates `dump_pairs`, the relations between works and volumes, and `dump_parents`, the works with main volumes. */
async function createVolumePairs(trx: Database) {
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

async function reportContested(trx: Database, report: ImportReport) {
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
  for await (const { id, title } of contested)
    report.note({ code: 'volume.claimed' }, `${id} ${title}`)
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

/** Removes volumes placed under another volume, or under a volume whose series is missing. */
async function removeNestedVolumes(trx: Database) {
  await sql`
    delete from dump_places place
    using dump_books work
    where work.id = place.work
      and (
        exists (select from dump_places above where above.volume = place.work)
        or (work.base is not null and not ${isWork('work')})
      )`.execute(trx)
}

async function removeEditions(trx: Database) {
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
  for await (const { subject, related } of pairs)
    if (!editions.has(subject) && !editions.has(related)) editions.add(Math.max(subject, related))
  await createTemporaryTable(trx, 'dump_editions')`select unnest(${[...editions]}::bigint[]) as id`
  await sql`delete from dump_places place using dump_editions edition where edition.id = place.volume`.execute(
    trx,
  )
}
