import { sql } from 'kysely'
import type { Database } from '../../db/database.ts'
import type { DumpReading } from '../dump/reading.ts'
import { streamRows } from '../row-streams.ts'
import * as codes from './archive-codes.ts'
import type { BookFacts } from './book-facts.ts'
import { placeVolumes, type VolumePlace } from './place-volumes.ts'
import { stageBookRelations, stageBooks } from './stage-books.ts'

type WorkKind = 'galgame' | 'light_novel' | 'manga'

/** What each subject of the dump is for us; a subject in neither map is passed over. */
export type SubjectPlan = {
  works: Map<number, WorkKind>
  volumes: Map<number, VolumePlace>
  /** By work: its volumes' ids, main ones first, by number. */
  volumesOf: Map<number, number[]>
  /** By manga: what its volume 1 tells, if the dump has it. */
  firstVolumes: Map<number, BookFacts>
}

/**
 * Reads relations and subjects once to decide what every subject is. Books are staged, since whether one is a volume depends
 * on all others; in memory stays what each is.
 *
 * A volume whose series is not in the dump is left out: as a work of its own it would collect ratings that belong
 * to the series, and be in the way when the series comes. The report counts these volumes.
 */
export async function planSubjects(dump: DumpReading, trx: Database): Promise<SubjectPlan> {
  const { report } = dump
  const works: SubjectPlan['works'] = new Map()
  for (const id of await stageBooks(dump, trx)) works.set(id, 'galgame')
  await stageBookRelations(dump, trx)
  const editions = await placeVolumes(trx, report)
  const books = streamRows<BookRow>(
    trx,
    'books',
    sql`
      select book.id, book.platform, book.title, book.base is not null as is_volume
      from dump_books book
      where not exists (select from dump_places place where place.volume = book.id)
      order by book.n`,
  )
  for await (const rows of books)
    for (const book of rows) {
      const kind = editions.has(book.id) ? 'other edition of a volume' : bookKind(book)
      if (kind === 'manga' || kind === 'light_novel') works.set(book.id, kind)
      else report.note(`passed over: ${kind}`, `${book.id} ${book.title}`)
    }
  return { works, ...(await shelve(trx)) }
}

/** A book that is no volume of a work in the dump; `is_volume` that its title is that of one. */
type BookRow = { id: number; platform: number; title: string; is_volume: boolean }

/** What a book that is no volume is as a work, or in words why it is none. */
function bookKind({ platform, is_volume }: BookRow) {
  if (platform !== codes.BOOK_PLATFORM.manga && platform !== codes.BOOK_PLATFORM.novel) {
    return 'book that is neither manga nor novel'
  }
  if (is_volume) return 'volume whose series is not in the dump'
  return platform === codes.BOOK_PLATFORM.manga ? 'manga' : 'light_novel'
}

type ShelfRow = { id: number; work: number; platform: number; relation: string; facts: BookFacts | null }

/** Puts the volumes of each work in their order. */
async function shelve(trx: Database): Promise<Omit<SubjectPlan, 'works'>> {
  const plan: Omit<SubjectPlan, 'works'> = {
    volumes: new Map(),
    volumesOf: new Map(),
    firstVolumes: new Map(),
  }
  const shelves = streamRows<ShelfRow>(
    trx,
    'shelves',
    sql`
      select place.volume as id, place.work, work.platform, place.relation, book.facts
      from dump_places place
      join dump_books book on book.id = place.volume
      join dump_books work on work.id = place.work
      order by place.work, place.relation <> ${codes.VOLUME_RELATIONS.volume}, book.number nulls last, place.volume`,
  )
  let last: VolumePlace | undefined
  for await (const rows of shelves)
    for (const { id, work, platform, relation, facts } of rows) {
      // Volumes of one work share one place.
      if (last?.work !== work || last.relation !== relation) last = toPlace(work, platform, relation)
      plan.volumes.set(id, last)
      const shelf = plan.volumesOf.get(work)
      if (shelf) shelf.push(id)
      else plan.volumesOf.set(work, [id])
      if (facts) plan.firstVolumes.set(work, facts)
    }
  return plan
}

const toPlace = (work: number, platform: number, relation: string): VolumePlace => ({
  work,
  kind: platform === codes.BOOK_PLATFORM.manga ? 'manga' : 'light_novel',
  type: relation === codes.VOLUME_RELATIONS.volume ? 'MAIN' : 'EXTRA',
  relation,
})
