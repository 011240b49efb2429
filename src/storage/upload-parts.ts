import type { Bucket } from './bucket.ts'
import { MissingObjectError, readResponse } from './bucket-client.ts'
import { childText } from './response-xml.ts'
import { StorageError } from './storage-error.ts'

/** Bytes per part. Some servers require parts of the same size, and all require at least 5 MiB. */
const PART_BYTES = 16 * 2 ** 20
const MAX_PARTS = 10_000

export type UploadOptions = {
  /** Runs after the last part is uploaded. If it fails, the upload is aborted, and the object never appears. */
  beforeComplete?: () => Promise<unknown>
  signal?: AbortSignal | undefined
}

/**
 * Writes a stream to one object, in parts. The object appears when all parts are stored. Keeps at most two parts in
 * memory.
 *
 * @returns the number of bytes written
 * @throws {StorageError} after it has tried to abort the upload
 */
export async function uploadParts(
  bucket: Bucket,
  name: string,
  source: AsyncIterable<Uint8Array>,
  { beforeComplete, signal }: UploadOptions = {},
): Promise<number> {
  const { client } = bucket
  const created = await client.sendForXml(
    { method: 'POST', name, query: { uploads: '' }, signal },
    'InitiateMultipartUploadResult',
  )
  const uploadId = childText(created, 'UploadId')
  if (uploadId === undefined) throw client.unexpected('no upload')
  const etags: string[] = []
  let bytes = 0
  const sendPart = async (body: Buffer<ArrayBuffer>) => {
    if (etags.length === MAX_PARTS)
      throw new StorageError(
        `${name} is larger than ${MAX_PARTS * PART_BYTES} bytes, the maximum size of an object.`,
      )
    const query = { partNumber: String(etags.length + 1), uploadId }
    etags.push(
      await client.send({ method: 'PUT', name, query, body, signal }, async (response) => {
        await readResponse(response, 2 ** 16)
        const etag = response.headers.get('etag')
        if (etag === null) throw client.unexpected('no ETag')
        return etag
      }),
    )
    bytes += body.length
  }
  try {
    // One part is sent while the next one is read.
    let sending: Promise<void> = Promise.resolve()
    for await (const part of inParts(source)) {
      await sending
      sending = sendPart(part)
      sending.catch(() => {})
    }
    await sending
    await beforeComplete?.()
    signal?.throwIfAborted()
    await complete(bucket, name, uploadId, { etags, bytes })
    return bytes
  } catch (error) {
    await abortUpload(bucket, name, uploadId).catch(() => {})
    throw error
  }
}

/** Deletes the parts of an upload. */
export async function abortUpload(bucket: Bucket, name: string, uploadId: string): Promise<void> {
  try {
    await bucket.client.send({ method: 'DELETE', name, query: { uploadId } }, async (response) => {
      await readResponse(response, 2 ** 16)
    })
  } catch (error) {
    if (!(error instanceof MissingObjectError)) throw error
  }
}

async function complete(
  bucket: Bucket,
  name: string,
  uploadId: string,
  { etags, bytes }: { etags: string[]; bytes: number },
) {
  const parts = etags.map(
    (etag, place) =>
      `<Part><PartNumber>${place + 1}</PartNumber><ETag>${etag.replaceAll(/[<>&]/g, '')}</ETag></Part>`,
  )
  const body = Buffer.from(
    `<CompleteMultipartUpload xmlns="http://s3.amazonaws.com/doc/2006-03-01/">${parts.join('')}</CompleteMultipartUpload>`,
  )
  try {
    await bucket.client.sendForXml(
      // The server may check all parts before it responds.
      { method: 'POST', name, query: { uploadId }, body, expectedBytes: bytes / 16 },
      'CompleteMultipartUploadResult',
    )
  } catch (error) {
    // An earlier attempt, whose response was lost, may have completed the upload. The size below shows whether it did.
    if (!(error instanceof MissingObjectError)) throw error
  }
  const found = await bucket.find(name)
  if (found?.bytes !== bytes)
    throw new StorageError(
      `The bucket ${bucket.address} stored ${found?.bytes ?? 0} of ${bytes} bytes of ${name}.`,
    )
}

/** Combines chunks into parts of the same size, except for the last. Yields at least one part. */
async function* inParts(source: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer<ArrayBuffer>> {
  let part = Buffer.alloc(PART_BYTES)
  let filled = 0
  let isFirst = true
  for await (let chunk of source)
    while (chunk.length > 0) {
      const taken = Math.min(chunk.length, PART_BYTES - filled)
      part.set(chunk.subarray(0, taken), filled)
      filled += taken
      chunk = chunk.subarray(taken)
      if (filled < PART_BYTES) continue
      yield part
      isFirst = false
      part = Buffer.alloc(PART_BYTES)
      filled = 0
    }
  if (filled > 0 || isFirst) yield part.subarray(0, filled)
}
