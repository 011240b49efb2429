import type { Database } from '../../db/database.ts'
import type { DumpReading } from '../dump/dump-source.ts'
import type { ImportReport, SourceRecord } from '../records/record.ts'
import type { Context } from './context.ts'
import { findImages, findLinks, stageImages, stageLinks } from './archive/links.ts'
import { IdSet } from './archive/id-set.ts'
import { mapCharacter } from './map-character.ts'
import { mapGalgame } from './map-galgame.ts'
import { mapLightNovel, mapLightNovelVolume } from './books/map-light-novel.ts'
import { mapManga, mapMangaVolume } from './books/map-manga.ts'
import { mapPerson } from './map-person.ts'
import { NameBook } from './archive/name-book.ts'
import { replaceNames } from './archive/name-ids.ts'
import { findPlan, planSubjects } from './books/plan.ts'
import { FILES, readRows } from './archive/read.ts'
import type { SubjectRow } from './archive/rows.ts'
import { passedOver } from './archive/archive-codes.ts'

/**
 * Everything the files of Bangumi Archive (github.com/bangumi/Archive) say about galgames, light novels, mangas, and the
 * people, producers and characters in the dump. Works come first, then whom they name.
 *
 * What a file that is missing would tell is not said. References to what the dump does not have are normal and stay in.
 * External ids are the wiki's numbers, or `name:…` for someone whom only an infobox names.
 */
export async function* readBangumi(dump: DumpReading, trx: Database): AsyncGenerator<SourceRecord> {
  const isNew = firstOfItsId(dump.report)
  for await (const record of readRecords(dump, trx)) if (isNew(record)) yield record
}

async function* readRecords(dump: DumpReading, trx: Database): AsyncGenerator<SourceRecord> {
  const { report, dependence } = dump
  const planned = await planSubjects(dump, trx)
  await stageLinks(dump, trx, planned)
  await stageImages(dump, trx)
  const names = await NameBook.read(dump, trx)
  const shared = { ...NOTHING, names, report, dependence }
  for await (const rows of batchesOf(readRows(dump, FILES.subjects))) {
    const plan = await findPlan(trx, idsOf(rows))
    const links = await findLinks(trx, [...plan.works.keys()])
    const images = await findImages(trx, 'subject', idsOf(rows))
    const records = rows.flatMap((row) => mapSubject(row, { ...shared, plan, links, images }) ?? [])
    const ids = await names.resolve()
    for (const record of records) replaceNames(record, ids)
    yield* records
  }
  await names.end()
  yield* names.records()
  for await (const rows of batchesOf(readRows(dump, FILES.people))) {
    const producerTypes = await names.findProducerTypes(idsOf(rows))
    const images = await findImages(trx, 'person', idsOf(rows))
    for (const row of rows) yield* mapPerson(row, { ...shared, producerTypes, images })
  }
  for await (const rows of batchesOf(readRows(dump, FILES.characters))) {
    const images = await findImages(trx, 'character', idsOf(rows))
    yield* rows.flatMap((row) => mapCharacter(row, { ...shared, images }) ?? [])
  }
}

/** What is known before any row is looked up. */
const NOTHING: Omit<Context, 'names' | 'report' | 'dependence'> = {
  plan: { works: new Map(), volumes: new Map(), volumesOf: new Map() },
  links: { credits: new Map(), appearances: new Map(), actors: new Map(), relations: new Map() },
  images: new Map(),
  producerTypes: new Map(),
}

/** Rows for which is looked up at once what other files say of them. */
const BATCH = 200

async function* batchesOf<Row>(rows: AsyncIterable<Row>): AsyncGenerator<Row[]> {
  let batch: Row[] = []
  for await (const row of rows) {
    batch.push(row)
    if (batch.length < BATCH) continue
    yield batch
    batch = []
  }
  if (batch.length > 0) yield batch
}

const idsOf = (rows: { id: number }[]) => rows.map(({ id }) => id)

function mapSubject(row: SubjectRow, context: Context): SourceRecord | undefined {
  const place = context.plan.volumes.get(row.id)
  if (place?.kind === 'manga') return mapMangaVolume(row, place, context)
  if (place) return mapLightNovelVolume(row, place, context)
  const kind = context.plan.works.get(row.id)
  const record = kind && MAP_WORK[kind](row, context)
  if (kind && !record) context.report.note(passedOver('untitled_work'), String(row.id))
  return record
}

const MAP_WORK = { galgame: mapGalgame, light_novel: mapLightNovel, manga: mapManga }

/** Of rows with the same id, as in a dump put together from several, only the first counts. A name is there once. */
function firstOfItsId(report: ImportReport): (record: SourceRecord) => boolean {
  const numbers = new Map<string, IdSet>()
  return ({ kind, external_id }) => {
    if (external_id.startsWith('name:')) return true
    const isNew = numbers.getOrInsertComputed(kind, () => new IdSet()).add(Number(external_id))
    if (!isNew) report.note({ code: 'row.repeated' }, `${kind} ${external_id}`)
    return isNew
  }
}
