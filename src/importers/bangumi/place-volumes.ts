import type { ImportReport } from '../record.ts'
import { BOOK_PLATFORM, BOOK_RELATION, VOLUME_RELATIONS } from './archive-codes.ts'
import type { BookFacts } from './book-facts.ts'
import type { RelationRow } from './rows.ts'
import type { VolumeTitle } from './volume-title.ts'

/** What must be known of every book of the dump at once to tell works from volumes; `title` in plain form. */
export type BookCandidate = {
  id: number
  platform: number
  title: string
  /** The wiki says that it is a series. */
  series: boolean
  /** What its title shows, if that makes it a volume. */
  volume: VolumeTitle | undefined
  authors: string[]
  facts: BookFacts | undefined
}

/** Where a volume belongs. `relation` is the wiki's word for it. */
export type VolumePlace = {
  work: number
  kind: 'light_novel' | 'manga'
  type: 'MAIN' | 'EXTRA'
  relation: string
}

/** `editions` are other editions of the volumes: neither volumes nor works. */
export type Placement = { volumes: Map<number, VolumePlace>; editions: Set<number> }

/**
 * Finds the volumes among the books, and for each the one work it belongs to:
 *
 * 1. the target of `单行本`, or the source of `系列` to a series, when both are mangas or both novels;
 * 2. a side story (`番外篇`) or art book (`画集`) of a novel: an EXTRA volume. Mangas' side stories are works;
 * 3. without any of these, a book whose title is a series' title and a number, with the same platform and an
 *    author in common, when exactly one series is so. Title alone would be a guess.
 *
 * A series is never a volume, nor is a book that has volumes of its own. What several works claim stays with the
 * first. Of two volumes of one work that are editions of each other (`不同版本`) the older entry is the volume.
 */
export function placeVolumes(
  books: Map<number, BookCandidate>,
  relations: RelationRow[],
  report: ImportReport,
): Placement {
  const pairs = relations.flatMap((relation) => toPair(relation, books) ?? [])
  const parents = new Set(pairs.filter(isMain).map(({ work }) => work.id))
  const isWork = (book: BookCandidate) => book.series || parents.has(book.id)
  const volumes = new Map<number, VolumePlace>()
  const extras = pairs.filter((pair) => !isMain(pair))
  for (const wave of [pairs.filter(isMain), extras]) placeByRelation(volumes, wave, isWork, report)
  placeByTitle(volumes, [...books.values()], isWork)
  freeOfVolumes(volumes, books, isWork)
  return { volumes, editions: takeEditions(volumes, relations) }
}

type IsWork = (book: BookCandidate) => boolean

function placeByRelation(
  volumes: Map<number, VolumePlace>,
  pairs: Pair[],
  isWork: IsWork,
  report: ImportReport,
): void {
  for (const { work, volume, relation } of pairs) {
    if (isWork(volume)) continue
    const place = volumes.get(volume.id)
    if (!place) volumes.set(volume.id, toPlace(work, relation))
    else if (place.work !== work.id) {
      report.note('volume that several works claim; the first keeps it', `${volume.id} ${volume.title}`)
    }
  }
}

function placeByTitle(volumes: Map<number, VolumePlace>, books: BookCandidate[], isWork: IsWork): void {
  const seriesByTitle = Map.groupBy(books.filter(isWork), ({ platform, title }) => `${platform} ${title}`)
  for (const book of books) {
    if (!book.volume || isWork(book) || volumes.has(book.id)) continue
    const namesakes = seriesByTitle.get(`${book.platform} ${book.volume.base}`) ?? []
    const [series, ...others] = namesakes.filter(({ authors }) =>
      authors.some((name) => book.authors.includes(name)),
    )
    if (series && others.length === 0) volumes.set(book.id, toPlace(series, VOLUME_RELATIONS.volume))
  }
}

/** A volume has no volumes: what was placed under one, or under one whose series is missing, stands for itself. */
function freeOfVolumes(
  volumes: Map<number, VolumePlace>,
  books: Map<number, BookCandidate>,
  isWork: IsWork,
): void {
  const strays = [...volumes].filter(([, { work }]) => {
    const book = books.get(work)
    return !book || volumes.has(work) || (book.volume && !isWork(book))
  })
  for (const [id] of strays) volumes.delete(id)
}

/** Takes the later of two editions of a volume off its shelf. */
function takeEditions(volumes: Map<number, VolumePlace>, relations: RelationRow[]): Set<number> {
  const editions = new Set<number>()
  for (const { type, subject, related } of relations) {
    const work = volumes.get(subject)?.work
    if (type !== BOOK_RELATION.edition || work === undefined || work !== volumes.get(related)?.work) continue
    const later = Math.max(subject, related)
    editions.add(later)
    volumes.delete(later)
  }
  return editions
}

function isMain({ relation }: Pair): boolean {
  return relation === VOLUME_RELATIONS.volume
}

type Pair = { work: BookCandidate; volume: BookCandidate; relation: string }

/** The two books of a relation in their parts; undefined when it makes no volume, or one of them is not in the dump. */
function toPair(
  { type, subject, related }: RelationRow,
  books: Map<number, BookCandidate>,
): Pair | undefined {
  const [source, target] = [books.get(subject), books.get(related)]
  if (!source || !target || source === target) return undefined
  const isSamePlatform = source.platform === target.platform && isReadable(source)
  const isOfNovel = source.platform === BOOK_PLATFORM.novel
  if (type === BOOK_RELATION.volume && isSamePlatform) {
    return { work: source, volume: target, relation: VOLUME_RELATIONS.volume }
  }
  if (type === BOOK_RELATION.series && isSamePlatform && target.series) {
    return { work: target, volume: source, relation: VOLUME_RELATIONS.volume }
  }
  if (type === BOOK_RELATION.sideStory && isSamePlatform && isOfNovel) {
    return { work: source, volume: target, relation: VOLUME_RELATIONS.sideStory }
  }
  if (type === BOOK_RELATION.artBook && isOfNovel && !isReadable(target)) {
    return { work: source, volume: target, relation: VOLUME_RELATIONS.artBook }
  }
  return undefined
}

function isReadable({ platform }: BookCandidate): boolean {
  return platform === BOOK_PLATFORM.manga || platform === BOOK_PLATFORM.novel
}

function toPlace(work: BookCandidate, relation: string): VolumePlace {
  return {
    work: work.id,
    kind: work.platform === BOOK_PLATFORM.manga ? 'manga' : 'light_novel',
    type: relation === VOLUME_RELATIONS.volume ? 'MAIN' : 'EXTRA',
    relation,
  }
}
