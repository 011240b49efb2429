import type { Database } from '../../../db/database.ts'
import type { SourceRecord } from '../../records/record.ts'
import type { DumpReading } from '../../dump/dump-source.ts'
import { batchesOf } from '../archive/read.ts'
import { PICTURE_FIELDS, pictureField } from './picture-fields.ts'
import { findKnownPictures, hasKnownPictures } from './queries.ts'

/**
 * Adds the pictures that were fetched from Bangumi's API to the records of the Archive. Otherwise, an import would
 * remove the pictures, and they would be fetched again.
 */
export async function* addKnownPictures(
  { dependencies }: Pick<DumpReading, 'dependencies'>,
  trx: Database,
  records: AsyncIterable<SourceRecord>,
): AsyncGenerator<SourceRecord> {
  let hasPictures: boolean | undefined
  for await (const batch of batchesOf(records)) {
    hasPictures ??= await hasKnownPictures(trx)
    // The grade of a volume's picture depends on its work, which another source may describe.
    if (hasPictures) dependencies.includesCatalog = true
    yield* hasPictures ? await withPictures(trx, batch) : batch
  }
}

async function withPictures(trx: Database, records: SourceRecord[]): Promise<SourceRecord[]> {
  const keyOf = (record: SourceRecord) => `${PICTURE_FIELDS[record.kind].of} ${record.external_id}`
  const missing = records
    .filter(({ external_id }) => /^\d{1,9}$/.test(external_id))
    .map(({ kind, external_id }) => ({ kind: PICTURE_FIELDS[kind].of, id: Number(external_id) }))
  const known = new Map(
    (await findKnownPictures(trx, missing)).map((item) => [`${item.kind} ${item.id}`, item]),
  )
  return records.map((record) => {
    const picture = known.get(keyOf(record))
    if (!picture || PICTURE_FIELDS[record.kind].field in record.fields) return record
    const isForAdults = 'nsfw' in record.fields ? record.fields.nsfw === true : picture.nsfw
    const fields = { ...record.fields, ...pictureField(record.kind, picture.path, isForAdults) }
    // as: the field of this kind
    return { ...record, fields } as SourceRecord
  })
}
