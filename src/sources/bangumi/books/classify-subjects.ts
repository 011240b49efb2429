import { sql } from 'kysely'
import type { Database } from '../../../db/database.ts'
import { createTemporaryTable } from '../../../db/temporary-table.ts'
import type { DumpReading } from '../../dump/dump-source.ts'
import { streamRows } from '../../dump/tables/row-streams.ts'
import * as codes from '../archive/archive-codes.ts'
import type { BookFacts } from './book-facts.ts'
import { IdSet } from '../archive/id-set.ts'
import { numberVolumes } from './number-volumes.ts'
import { placeVolumes, type VolumePlace } from './place-volumes.ts'
import { stageBookRelations, stageBooks } from './stage-books.ts'

type WorkKind = 'galgame' | 'light_novel' | 'manga'

/** Classifications of a batch of subjects. Subjects that are neither works nor volumes are skipped. */
export type Classification = {
  works: Map<number, WorkKind>
  volumes: Map<number, VolumePlace>
  /** Volumes, keyed by work: main volumes first, ordered by number. */
  volumesOf: Map<number, PlacedVolume[]>
}

/** A volume of a work. `relation` is the wiki's word for its relation to the work. Only volume 1 has `facts`. */
type PlacedVolume = { id: number; relation: string; facts: BookFacts | null }

/** Ids of the works in a dump. The kinds of the works are in the database. */
export type WorkIds = { works: IdSet; galgames: IdSet }

/**
 * Classifies every subject and stores the result in the temporary tables `dump_works` and `dump_places`. Whether a
 * book is a volume depends on all other books.
 *
 * Volumes whose series is missing from the dump are skipped and reported. As separate works, they would collect
 * ratings that belong to the series, and conflict with the series later.
 */
export async function classifySubjects(dump: DumpReading, trx: Database): Promise<WorkIds> {
  await stageBooks(dump, trx)
  await stageBookRelations(dump, trx)
  await placeVolumes(trx, dump.report)
  await numberVolumes(trx)
  await createWorks(trx)
  await reportSkipped(dump, trx)
  await sql`create index on dump_places (work)`.execute(trx)
  await sql`analyze dump_places`.execute(trx)
  const planned = { works: new IdSet(), galgames: new IdSet() }
  const works = streamRows<{ id: number; kind: WorkKind }>(
    trx,
    'works',
    sql`select id, kind from dump_works`,
  )
  for await (const { id, kind } of works) {
    planned.works.add(id)
    if (kind === 'galgame') planned.galgames.add(id)
  }
  return planned
}

/**
 * SQL for the books that are neither volumes nor editions of a volume, and whether the title of each is that of a
 * volume.
 */
const unplaced = sql`
  select book.n, book.id, book.platform, book.title, book.base is not null as is_volume
  from dump_books book
  where not exists (select from dump_places place where place.volume = book.id)
    and not exists (select from dump_editions edition where edition.id = book.id)`

/** SQL for the kind of work that a book is, or null. */
const bookKind = sql`
  case
    when is_volume then null
    when platform = ${sql.lit(codes.BOOK_PLATFORM.manga)} then 'manga'
    when platform = ${sql.lit(codes.BOOK_PLATFORM.novel)} then 'light_novel'
  end`

async function createWorks(trx: Database) {
  await createTemporaryTable(
    trx,
    'dump_works',
  )`select id, ${bookKind} as kind from (${unplaced}) book where ${bookKind} is not null`
  await sql`alter table dump_works add primary key (id)`.execute(trx)
  await sql`
    insert into dump_works (id, kind) select distinct id, 'galgame' from dump_games
    on conflict (id) do nothing`.execute(trx)
  await sql`analyze dump_works`.execute(trx)
}

async function reportSkipped({ report }: DumpReading, trx: Database) {
  const passed = streamRows<{ id: number; title: string; reason: string }>(
    trx,
    'passed_over',
    sql`
      select id, title, reason
      from (
        select n, id, title,
          case
            when platform not in (${sql.lit(codes.BOOK_PLATFORM.manga)}, ${sql.lit(codes.BOOK_PLATFORM.novel)})
              then 'other_book'
            when is_volume then 'stray_volume'
          end as reason
        from (${unplaced}) book
        union all
        select book.n, book.id, book.title, 'edition'
        from dump_editions edition join dump_books book on book.id = edition.id
      ) book
      where reason is not null
      order by n`,
  )
  for await (const { id, title, reason } of passed)
    report.note(codes.skippedRemark(reason), `${id} ${title}`)
}

type PlanRow = {
  id: number
  kind: WorkKind | null
  work: number | null
  platform: number | null
  relation: string | null
  number: number | null
  label: string | null
  volumes: PlacedVolume[] | null
}

export async function findClassification(
  trx: Database,
  subjects: number[],
): Promise<Classification> {
  const { rows } = await sql<PlanRow>`
    select
      subject.id, work.kind, place.work, series.platform, place.relation, own.number, own.label,
      (
        select json_agg(
          json_build_object('id', volume.volume, 'relation', volume.relation, 'facts', book.facts)
          order by
            volume.relation <> ${codes.VOLUME_RELATIONS.volume}, numbered.number nulls last,
            coalesce(nullif(position(left(nullif(numbered.label, ''), 1) in '上前中下後后'), 0), 9), volume.volume
        )
        from dump_places volume
        join dump_books book on book.id = volume.volume
        join dump_numbers numbered on numbered.volume = volume.volume
        where volume.work = subject.id
      ) as volumes
    from (select distinct unnest(${subjects}::bigint[]) as id) subject
    left join dump_works work on work.id = subject.id
    left join dump_places place on place.volume = subject.id
    left join dump_numbers own on own.volume = place.volume
    left join dump_books series on series.id = place.work`.execute(trx)
  const plan: Classification = { works: new Map(), volumes: new Map(), volumesOf: new Map() }
  for (const { id, kind, work, platform, relation, number, label, volumes } of rows) {
    if (kind !== null) plan.works.set(id, kind)
    if (work !== null && relation !== null)
      plan.volumes.set(id, { ...toPlace(work, platform, relation), number, label: label ?? '' })
    if (volumes !== null) plan.volumesOf.set(id, volumes)
  }
  return plan
}

export const isMainVolume = (relation: string) => relation === codes.VOLUME_RELATIONS.volume

const toPlace = (work: number, platform: number | null, relation: string) => ({
  work,
  kind: platform === codes.BOOK_PLATFORM.manga ? ('manga' as const) : ('light_novel' as const),
  type: isMainVolume(relation) ? ('MAIN' as const) : ('EXTRA' as const),
  relation,
})
