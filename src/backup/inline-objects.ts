import { PART_BYTES } from './format.ts'

/** Reads an uploaded picture that is in a bucket; undefined if it is missing. */
export type ReadUpload = (object: string, hash: string) => Promise<Buffer | undefined>

/** Number of objects that are read at the same time. */
const PARALLEL = 8
/** Null in COPY's text format. */
const NULL = String.raw`\N`

/**
 * Replaces the names of objects in rows of `uploads` with the bytes of the pictures, so that a backup is complete
 * without the bucket. A row whose object is missing keeps the name.
 *
 * @param parts whole rows in COPY's text format. No column contains a tab or a line break
 */
export async function* inlineObjects(
  parts: AsyncIterable<Buffer>,
  columns: readonly string[],
  read: ReadUpload,
): AsyncGenerator<Buffer> {
  const objectAt = columns.indexOf('object')
  // Schemas of older versions have no objects.
  if (objectAt === -1) return yield* parts
  const [bytesAt, hashAt] = [columns.indexOf('bytes'), columns.indexOf('hash')]
  const inlined = async (row: string) => {
    const fields = row.split('\t')
    const [object = NULL, hash = ''] = [fields[objectAt], fields[hashAt]]
    const bytes = object === NULL ? undefined : await read(object, hash)
    if (!bytes) return `${row}\n`
    fields[bytesAt] = String.raw`\\x` + bytes.toString('hex')
    fields[objectAt] = NULL
    return `${fields.join('\t')}\n`
  }
  for await (const part of parts) {
    const rows = part.toString('latin1').split('\n').slice(0, -1)
    let pending = ''
    while (rows.length > 0) {
      pending += (await Promise.all(rows.splice(0, PARALLEL).map(inlined))).join('')
      if (pending.length < PART_BYTES && rows.length > 0) continue
      yield Buffer.from(pending, 'latin1')
      pending = ''
    }
  }
}
