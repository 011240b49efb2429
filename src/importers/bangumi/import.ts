import type { Database } from '../../db/database.ts'
import type { DumpReading } from '../dump/reading.ts'
import type { ImportReport, SourceRecord } from '../record.ts'
import type { Context } from './context.ts'
import { findLinks, readImages, stageLinks } from './links.ts'
import { IdSet } from './id-set.ts'
import { mapCharacter } from './map-character.ts'
import { mapGalgame } from './map-galgame.ts'
import { mapLightNovel, mapLightNovelVolume } from './map-light-novel.ts'
import { mapManga, mapMangaVolume } from './map-manga.ts'
import { mapPerson } from './map-person.ts'
import { NameBook } from './name-book.ts'
import { planSubjects } from './plan.ts'
import { FILES, readRows } from './read.ts'
import type { SubjectRow } from './rows.ts'

/**
 * Everything the files of Bangumi Archive (github.com/bangumi/Archive) say about galgames, light novels, mangas, and the
 * people, producers and characters in the dump. Works come first, then whom they name.
 *
 * What a file that is missing would tell is not said. References to what the dump does not have are normal and stay in.
 * External ids are the wiki's numbers, or `name:…` for someone whom only an infobox names.
 *
 * @param today `YYYY-MM-DD`; a release dated later is not called released
 */
export async function* readBangumi(
  dump: DumpReading,
  trx: Database,
  today: string = new Date().toISOString().slice(0, 10),
): AsyncGenerator<SourceRecord> {
  const isNew = firstOfItsId(dump.report)
  for await (const record of readRecords(dump, trx, today)) if (isNew(record)) yield record
}

async function* readRecords(dump: DumpReading, trx: Database, today: string): AsyncGenerator<SourceRecord> {
  const { report } = dump
  const plan = await planSubjects(dump, trx)
  await stageLinks(dump, trx, plan)
  const shared = {
    plan,
    images: await readImages(dump, plan),
    names: await NameBook.read(dump),
    report,
    today,
  }
  for await (const rows of batchesOf(readRows(dump, FILES.subjects))) {
    const works = rows.filter(({ id }) => plan.works.has(id)).map(({ id }) => id)
    const links = await findLinks(trx, works)
    for (const row of rows) {
      const record = mapSubject(row, { ...shared, links })
      if (record) yield record
    }
  }
  const context = { ...shared, links: await findLinks(trx, []) }
  yield* context.names.records()
  for await (const row of readRows(dump, FILES.people)) yield* mapPerson(row, context)
  for await (const row of readRows(dump, FILES.characters)) {
    const record = mapCharacter(row, context)
    if (record) yield record
  }
}

/** Subjects whose lists are looked up at once. */
const BATCH = 200

async function* batchesOf(rows: AsyncIterable<SubjectRow>): AsyncGenerator<SubjectRow[]> {
  let batch: SubjectRow[] = []
  for await (const row of rows) {
    batch.push(row)
    if (batch.length < BATCH) continue
    yield batch
    batch = []
  }
  yield batch
}

function mapSubject(row: SubjectRow, context: Context): SourceRecord | undefined {
  const place = context.plan.volumes.get(row.id)
  if (place?.kind === 'manga') return mapMangaVolume(row, context)
  if (place) return mapLightNovelVolume(row, place, context)
  const kind = context.plan.works.get(row.id)
  const record = kind && MAP_WORK[kind](row, context)
  if (kind && !record) context.report.note('passed over: work without a title', String(row.id))
  return record
}

const MAP_WORK = { galgame: mapGalgame, light_novel: mapLightNovel, manga: mapManga }

/** Of rows with the same id, as in a dump put together from several, only the first counts. */
function firstOfItsId(report: ImportReport): (record: SourceRecord) => boolean {
  const numbers = new Map<string, IdSet>()
  const names = new Set<string>()
  return ({ kind, external_id }) => {
    const key = `${kind} ${external_id}`
    const isNew = external_id.startsWith('name:')
      ? names.size < names.add(key).size
      : numbers.getOrInsertComputed(kind, () => new IdSet()).add(Number(external_id))
    if (!isNew) report.note('row that repeats an id; the first counts', key)
    return isNew
  }
}
