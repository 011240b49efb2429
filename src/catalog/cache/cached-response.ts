import { ENVELOPE_PREFIX } from '../../http/wire/errors/envelope.ts'
import type { ContentEncoding } from '../../http/wire/content-encoding.ts'
import { etagOf } from '../../http/wire/etag.ts'
import type { PictureUrls } from '../../http/wire/picture-urls.ts'
import type { OpenBody } from '../../http/wire/open-compression.ts'

/**
 * Stores UTF-8 in a string with one character per byte, so that bodies are concatenated as text and written without
 * encoding them again.
 */
export const BODY_ENCODING = 'latin1'

/** A cached response of the catalog: everything that is the same for every request. */
export type CachedResponse = {
  /** The envelope up to the end of `data`, in `BODY_ENCODING`. Its length is its size in bytes. */
  body: string
  etag: string
  /** True if only callers with `catalog:full` may see the work. */
  nsfw: boolean
  /** Length of the whole list, for lists. */
  total: number | undefined
  /** Whether `sendCached` has already replaced the sources' picture URLs with this service's. */
  hasRewrittenPictures?: boolean
  /** Set by the cache that holds the response. */
  owner?: { cache: OwningCache; key: string }
}

export type OwningCache = {
  /** @param etag ETag of the body in this encoding */
  openCompressed(
    response: CachedResponse,
    etag: string,
    encoding: ContentEncoding,
  ): OpenBody | Promise<OpenBody>
  /** Updates the size charged for a response. */
  updateSize(key: string, response: CachedResponse): void
}

/** Row returned by a statement. `data` is JSON in the shape of the API. */
export type QueriedResponse = { nsfw: boolean; data: string; total?: number }

export function toCachedResponse({ nsfw, data, total }: QueriedResponse): CachedResponse {
  const bytes = Buffer.from(ENVELOPE_PREFIX + data)
  const etag = etagOf(bytes.subarray(ENVELOPE_PREFIX.length))
  return { body: bytes.toString(BODY_ENCODING), etag, nsfw, total }
}

/** Returns the `data` of a response, in the encoding of its body. */
export const encodedData = ({ body }: CachedResponse) => body.slice(ENVELOPE_PREFIX.length)

/** Builds a response visible to everyone from encoded `data`. */
export function fromEncodedData(data: string): CachedResponse {
  const etag = etagOf(Buffer.from(data, BODY_ENCODING))
  return { body: ENVELOPE_PREFIX + data, etag, nsfw: false, total: undefined }
}

/** Replaces the sources' picture URLs in a response with this service's. Does nothing when called again. */
export function rewritePictureUrls(response: CachedResponse, pictureUrls: PictureUrls | undefined) {
  if (response.hasRewrittenPictures || !pictureUrls) return
  response.hasRewrittenPictures = true
  const body = pictureUrls.rewriteJson(response.body)
  if (body === response.body) return
  response.body = body
  response.etag = etagOf(Buffer.from(encodedData(response), BODY_ENCODING))
  response.owner?.cache.updateSize(response.owner.key, response)
}
