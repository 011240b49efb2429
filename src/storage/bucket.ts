import type { BucketSettings } from '../config/config.ts'
import {
  BucketClient,
  MissingObjectError,
  readResponse,
  type BucketOptions,
  type BucketRequest,
} from './bucket-client.ts'
import type { ObjectStore, StoredObject } from './object-store.ts'
import { childText, type ResponseElement } from './response-xml.ts'
import { StorageError } from './storage-error.ts'

/** Maximum bytes of an object that is read into memory. */
const MAX_OBJECT_BYTES = 64 * 2 ** 20
/** Bytes per request when an object is read in pieces. */
const PIECE_BYTES = 8 * 2 ** 20
/** Maximum pages of a listing, each of at most 1,000 objects. */
const MAX_PAGES = 100

/** Size and version (ETag) of an object. Every write changes the version. */
export type ObjectFacts = { bytes: number; version: string }

/** Upload that is neither complete nor aborted. */
export type OpenUpload = { name: string; uploadId: string; startedAt: number }

/** Objects under a prefix of a bucket with the S3 API. */
export class Bucket implements ObjectStore {
  readonly client: BucketClient
  readonly address: string

  constructor(settings: BucketSettings, options?: BucketOptions) {
    this.client = new BucketClient(settings, options)
    this.address = `${settings.url}/${settings.prefix}`.replace(/\/$/, '')
  }

  async read(name: string, signal?: AbortSignal): Promise<Buffer | undefined> {
    return this.#unlessMissing({ method: 'GET', name, signal }, (response) =>
      readWhole(response, MAX_OBJECT_BYTES),
    )
  }

  async write(name: string, bytes: Buffer, signal?: AbortSignal): Promise<void> {
    await this.client.send({ method: 'PUT', name, body: Buffer.from(bytes), signal }, ignoreBody)
  }

  async delete(name: string, signal?: AbortSignal): Promise<void> {
    await this.#unlessMissing({ method: 'DELETE', name, signal }, ignoreBody)
  }

  async list(prefix: string, signal?: AbortSignal): Promise<StoredObject[]> {
    const objects: StoredObject[] = []
    const request = { query: { 'list-type': '2' }, signal }
    const pages = this.#pages(request, prefix, 'ListBucketResult', [
      ['continuation-token', 'NextContinuationToken'],
    ])
    for await (const page of pages)
      for (const { name, element } of this.#named(page, 'Contents', prefix)) {
        const bytes = Number(childText(element, 'Size'))
        const modifiedAt = Date.parse(childText(element, 'LastModified') ?? '')
        if (!Number.isSafeInteger(bytes) || bytes < 0 || Number.isNaN(modifiedAt))
          throw this.client.unexpected('an object without a size or time')
        objects.push({ name, bytes, modifiedAt })
      }
    return objects.toSorted((a, b) => (a.name < b.name ? -1 : 1))
  }

  /** Lists uploads under a prefix that are neither complete nor aborted. */
  async listUploads(prefix: string): Promise<OpenUpload[]> {
    const uploads: OpenUpload[] = []
    const pages = this.#pages({ query: { uploads: '' } }, prefix, 'ListMultipartUploadsResult', [
      ['key-marker', 'NextKeyMarker'],
      ['upload-id-marker', 'NextUploadIdMarker'],
    ])
    for await (const page of pages)
      for (const { name, element } of this.#named(page, 'Upload', prefix)) {
        const uploadId = childText(element, 'UploadId')
        const startedAt = Date.parse(childText(element, 'Initiated') ?? '')
        if (uploadId !== undefined && !Number.isNaN(startedAt))
          uploads.push({ name, uploadId, startedAt })
      }
    return uploads
  }

  /** Returns the size and version of an object; undefined if there is no such object. */
  async find(name: string): Promise<ObjectFacts | undefined> {
    const request: BucketRequest = { method: 'GET', name, headers: { range: 'bytes=0-0' } }
    return this.#unlessMissing(request, async (response) => {
      const bytes = /^bytes 0-0\/(\d{1,16})$/.exec(response.headers.get('content-range') ?? '')?.[1]
      const version = response.headers.get('etag')
      if (bytes === undefined || version === null) throw this.client.unexpected('no range')
      return { bytes: Number(bytes), version }
    })
  }

  /**
   * Reads a large object in pieces, so that a slow consumer does not keep a connection open.
   *
   * @throws {StorageError} if the object is replaced or deleted in the meantime
   */
  async *readPieces(name: string, { bytes, version }: ObjectFacts): AsyncGenerator<Buffer> {
    for (let from = 0; from < bytes; from += PIECE_BYTES) {
      const to = Math.min(bytes, from + PIECE_BYTES) - 1
      const expectedBytes = to - from + 1
      const headers = { range: `bytes=${from}-${to}`, 'if-match': version }
      const piece = await this.#unlessMissing(
        { method: 'GET', name, headers, expectedBytes },
        async (response) => {
          const piece = await readWhole(response, expectedBytes)
          if (piece.length !== expectedBytes) throw new Error('cut off')
          return piece
        },
      )
      if (!piece)
        throw new StorageError(`${name} was deleted from the bucket while it was being read.`)
      yield piece
    }
  }

  async #unlessMissing<Result>(
    request: BucketRequest,
    use: (response: Response) => Promise<Result>,
  ): Promise<Result | undefined> {
    try {
      return await this.client.send(request, use)
    } catch (error) {
      if (error instanceof MissingObjectError) return undefined
      throw error
    }
  }

  /**
   * Yields the pages of a listing.
   *
   * @param markers pairs of a parameter for the next page and the element that contains its value
   */
  async *#pages(
    { query, signal }: Pick<BucketRequest, 'query' | 'signal'>,
    prefix: string,
    root: string,
    markers: readonly (readonly [parameter: string, element: string])[],
  ): AsyncGenerator<ResponseElement> {
    let next: Record<string, string> = {}
    for (let page = 1; page <= MAX_PAGES; page += 1) {
      const listed = await this.client.sendForXml(
        {
          method: 'GET',
          query: { ...query, prefix: this.client.prefix + prefix, ...next },
          signal,
        },
        root,
      )
      yield listed
      if (childText(listed, 'IsTruncated') !== 'true') return
      const following = Object.fromEntries(
        markers.flatMap(([parameter, element]) => {
          const value = childText(listed, element)
          return value === undefined ? [] : [[parameter, value]]
        }),
      )
      if (JSON.stringify(following) === JSON.stringify(next) || Object.keys(following).length === 0)
        throw this.client.unexpected('a listing without a next page')
      next = following
    }
    throw new StorageError(
      `The bucket ${this.address} lists more than ${MAX_PAGES * 1_000} objects. Set BUCKET_PREFIX to an unused prefix.`,
    )
  }

  /** Returns the listed elements whose names start with the prefix. A faulty server may list others. */
  #named({ children }: ResponseElement, kind: string, prefix: string) {
    const whole = this.client.prefix
    return children.flatMap((element) => {
      const key = element.name === kind ? childText(element, 'Key') : undefined
      return key?.startsWith(whole + prefix) ? [{ name: key.slice(whole.length), element }] : []
    })
  }
}

/** @throws {Error} if the body is shorter than its length */
async function readWhole(response: Response, maxBytes: number): Promise<Buffer> {
  const body = await readResponse(response, maxBytes)
  const length = response.headers.get('content-length')
  if (length !== null && Number(length) !== body.length) throw new Error('cut off')
  return body
}

export async function ignoreBody(response: Response): Promise<void> {
  await response.body?.cancel()
}
