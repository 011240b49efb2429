import type { DumpReading } from '../dump/reading.ts'
import type { ImportReport } from '../record.ts'
import * as codes from './archive-codes.ts'
import { bookFacts, type BookFacts } from './book-facts.ts'
import { InfoboxReader } from './infobox-reader.ts'
import { isGalgame } from './is-galgame.ts'
import { splitNames } from './name-list.ts'
import { placeVolumes, type BookCandidate, type VolumePlace } from './place-volumes.ts'
import { BOOK_PEOPLE } from './positions.ts'
import { FILES, readRows } from './read.ts'
import type { RelationRow, SubjectRow } from './rows.ts'
import { parseKnownVolumeTitle, parseVolumeTitle, plainTitle } from './volume-title.ts'

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
 * Reads relations and subjects once to decide what every subject is.
 *
 * A volume whose series is not in the dump is left out: as a work of its own it would collect ratings that belong
 * to the series, and be in the way when the series comes. The report counts these volumes.
 */
export async function planSubjects(dump: DumpReading): Promise<SubjectPlan> {
  const { report } = dump
  const books = new Map<number, BookCandidate>()
  const works = new Map<number, WorkKind>()
  for await (const row of readRows(dump, FILES.subjects)) {
    if (row.type === codes.SUBJECT_TYPE.book) books.set(row.id, toBook(row))
    else if (isGalgameRow(row, report)) works.set(row.id, 'galgame')
  }
  const { volumes, editions } = placeVolumes(books, await readBookRelations(dump), report)
  for (const book of books.values()) {
    if (volumes.has(book.id)) continue
    const kind = editions.has(book.id) ? 'other edition of a volume' : bookKind(book)
    if (kind === 'manga' || kind === 'light_novel') works.set(book.id, kind)
    else report.note(`passed over: ${kind}`, `${book.id} ${book.title}`)
  }
  return { works, volumes, ...shelve(books, volumes) }
}

function toBook(row: SubjectRow): BookCandidate {
  const isReadable = row.platform === codes.BOOK_PLATFORM.manga || row.platform === codes.BOOK_PLATFORM.novel
  const volume = row.series || !isReadable ? undefined : parseVolumeTitle(row.name || row.nameCn)
  const infobox = volume || row.series ? new InfoboxReader(row.infobox) : undefined
  return {
    id: row.id,
    platform: row.platform,
    title: plainTitle(row.name || row.nameCn),
    series: row.series,
    volume,
    authors: infobox ? authorsOf(infobox) : [],
    facts: infobox && volume?.number === 1 ? bookFacts(infobox) : undefined,
  }
}

/** Everyone who made the book; translators and such are the last of the table and no mark of a series. */
function authorsOf(infobox: InfoboxReader): string[] {
  const keys = BOOK_PEOPLE.filter(({ manga }) => manga !== null).flatMap(({ keys }) => keys)
  return infobox.values(...keys).flatMap((value) => splitNames(value).map(({ name }) => name))
}

async function readBookRelations(dump: DumpReading): Promise<RelationRow[]> {
  const wanted = new Set<number>(Object.values(codes.BOOK_RELATION))
  const relations: RelationRow[] = []
  for await (const row of readRows(dump, FILES.relations)) if (wanted.has(row.type)) relations.push(row)
  return relations
}

function isGalgameRow(row: SubjectRow, report: ImportReport): boolean {
  if (row.type !== codes.SUBJECT_TYPE.game) {
    report.note(`passed over: ${codes.OTHER_SUBJECTS.get(row.type) ?? `type ${row.type}`}`, exampleOf(row))
    return false
  }
  const other = codes.OTHER_GAME_PLATFORMS.get(row.platform)
  const genres = new InfoboxReader(row.infobox).values('游戏类型')
  const isWanted = !other && isGalgame([...row.metaTags, ...row.tags.map(({ name }) => name)], genres)
  if (!isWanted) report.note(`passed over: ${other ?? 'game that is no galgame'}`, exampleOf(row))
  return isWanted
}

/** What a book that is no volume is as a work, or in words why it is none. */
function bookKind({ platform, volume }: BookCandidate) {
  if (platform !== codes.BOOK_PLATFORM.manga && platform !== codes.BOOK_PLATFORM.novel) {
    return 'book that is neither manga nor novel'
  }
  if (volume) return 'volume whose series is not in the dump'
  return platform === codes.BOOK_PLATFORM.manga ? 'manga' : 'light_novel'
}

/** Puts the volumes of each work in their order. */
function shelve(
  books: Map<number, BookCandidate>,
  volumes: SubjectPlan['volumes'],
): Pick<SubjectPlan, 'volumesOf' | 'firstVolumes'> {
  const firstVolumes: SubjectPlan['firstVolumes'] = new Map()
  const shelves = Map.groupBy(
    [...volumes].map(([id, place]) => {
      const book = books.get(id)
      if (book?.facts) firstVolumes.set(place.work, book.facts)
      const number = parseKnownVolumeTitle(book?.title ?? '').number ?? Infinity
      return { id, number, work: place.work, rank: place.type === 'MAIN' ? 0 : 1 }
    }),
    ({ work }) => work,
  )
  const volumesOf = new Map(
    [...shelves].map(([work, shelf]) => {
      shelf.sort((a, b) => a.rank - b.rank || compare(a.number, b.number) || a.id - b.id)
      return [work, shelf.map(({ id }) => id)]
    }),
  )
  return { volumesOf, firstVolumes }
}

/** Unlike a difference, right for two infinities. */
function compare(a: number, b: number): number {
  return a < b ? -1 : Number(a > b)
}

function exampleOf({ id, name }: SubjectRow): string {
  return `${id} ${name}`
}
