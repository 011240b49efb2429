import type { Database } from '../../../db/database.ts'
import type { SourceRecord } from '../../records/record.ts'
import type { DumpReading } from '../../dump/dump-source.ts'
import { PICTURE_FIELDS, pictureField } from './picture-fields.ts'
import { findKnown, hasKnown } from './queries.ts'

/** Records whose pictures are looked up at once. */
const BATCH = 200

/**
 * The records of Bangumi's Archive with the pictures its API was asked for. So an import says of them what was known before:
 * they are neither taken away nor asked for again.
 */
export async function* addKnownPictures(
  { dependence }: Pick<DumpReading, 'dependence'>,
  trx: Database,
  records: AsyncIterable<SourceRecord>,
): AsyncGenerator<SourceRecord> {
  let batch: SourceRecord[] = []
  let mayHave: boolean | undefined
  for await (const record of records) {
    mayHave ??= await hasKnown(trx)
    if (!mayHave) {
      yield record
      continue
    }
    // A volume's picture is graded as its work is, whoever says that of the work.
    dependence.noteCatalog()
    batch.push(record)
    if (batch.length < BATCH) continue
    yield* await withPictures(trx, batch)
    batch = []
  }
  if (batch.length > 0) yield* await withPictures(trx, batch)
}

async function withPictures(trx: Database, records: SourceRecord[]): Promise<SourceRecord[]> {
  const keyOf = (record: SourceRecord) => `${PICTURE_FIELDS[record.kind].of} ${record.external_id}`
  const things = records
    .filter(({ external_id }) => /^\d{1,9}$/.test(external_id))
    .map(({ kind, external_id }) => ({ kind: PICTURE_FIELDS[kind].of, id: Number(external_id) }))
  const known = new Map((await findKnown(trx, things)).map((one) => [`${one.kind} ${one.id}`, one]))
  return records.map((record) => {
    const picture = known.get(keyOf(record))
    if (!picture || PICTURE_FIELDS[record.kind].field in record.fields) return record
    const isForAdults = 'nsfw' in record.fields ? record.fields.nsfw === true : picture.nsfw
    const fields = { ...record.fields, ...pictureField(record.kind, picture.path, isForAdults) }
    // as: the field that its kind has
    return { ...record, fields } as SourceRecord
  })
}
