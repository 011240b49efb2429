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
import { CreditedNames } from './archive/credited-names.ts'
import { replaceNames } from './archive/replace-names.ts'
import { findClassification, classifySubjects } from './books/classify-subjects.ts'
import { batchesOf, FILES, readRows } from './archive/read.ts'
import type { SubjectRow } from './archive/rows.ts'
import { skippedRemark } from './archive/archive-codes.ts'

/**
 * Yields the records of the Bangumi Archive (github.com/bangumi/Archive): galgames, light novels and mangas, then the
 * people, producers and characters in the dump.
 *
 * Missing files are treated as empty. References to entries outside the dump are normal and are preserved. External
 * ids are the wiki's numbers, or `name:…` for a name that occurs only in infoboxes.
 */
export async function* readBangumi(dump: DumpReading, trx: Database): AsyncGenerator<SourceRecord> {
  const isNew = firstPerId(dump.report)
  for await (const record of readRecords(dump, trx)) if (isNew(record)) yield record
}

async function* readRecords(dump: DumpReading, trx: Database): AsyncGenerator<SourceRecord> {
  const { report, dependencies } = dump
  const planned = await classifySubjects(dump, trx)
  await stageLinks(dump, trx, planned)
  await stageImages(dump, trx)
  const names = await CreditedNames.read(dump, trx)
  const shared = { ...EMPTY_LOOKUPS, names, report, dependencies }
  for await (const rows of batchesOf(readRows(dump, FILES.subjects))) {
    const classification = await findClassification(trx, idsOf(rows))
    const links = await findLinks(trx, [...classification.works.keys()])
    const images = await findImages(trx, 'subject', idsOf(rows))
    const records = rows.flatMap(
      (row) => mapSubject(row, { ...shared, classification, links, images }) ?? [],
    )
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

const EMPTY_LOOKUPS: Omit<Context, 'names' | 'report' | 'dependencies'> = {
  classification: { works: new Map(), volumes: new Map(), volumesOf: new Map() },
  links: { credits: new Map(), appearances: new Map(), actors: new Map(), relations: new Map() },
  images: new Map(),
  producerTypes: new Map(),
}

const idsOf = (rows: { id: number }[]) => rows.map(({ id }) => id)

function mapSubject(row: SubjectRow, context: Context): SourceRecord | undefined {
  const volume = context.classification.volumes.get(row.id)
  if (volume?.kind === 'manga') return mapMangaVolume(row, volume, context)
  if (volume) return mapLightNovelVolume(row, volume, context)
  const kind = context.classification.works.get(row.id)
  const record = kind && WORK_MAPPERS[kind](row, context)
  if (kind && !record) context.report.note(skippedRemark('untitled_work'), String(row.id))
  return record
}

const WORK_MAPPERS = { galgame: mapGalgame, light_novel: mapLightNovel, manga: mapManga }

/**
 * Returns a filter that accepts the first record with each id. A dump merged from several dumps may repeat ids. Names
 * are already unique.
 */
function firstPerId(report: ImportReport): (record: SourceRecord) => boolean {
  const numbers = new Map<string, IdSet>()
  return ({ kind, external_id }) => {
    if (external_id.startsWith('name:')) return true
    const isNew = numbers.getOrInsertComputed(kind, () => new IdSet()).add(Number(external_id))
    if (!isNew) report.note({ code: 'row.repeated' }, `${kind} ${external_id}`)
    return isNew
  }
}
