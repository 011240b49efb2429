import { ENVELOPE_START } from '../../http/wire/errors/envelope.ts'
import type { ContentEncoding } from '../../http/wire/content-encoding.ts'
import { etagOf } from '../../http/wire/etag.ts'
import type { PictureAddresses } from '../../http/wire/picture-addresses.ts'
import type { OpenBody } from '../../http/wire/open-compression.ts'

/** UTF-8 in a string with a character for each byte: it is joined as text, and written without being encoded again. */
export const BODY_ENCODING = 'latin1'

/** An answer of the catalog as it is cached: everything about it that is the same for every request. */
export type CachedResponse = {
  /** The envelope up to the end of `data`, in `BODY_ENCODING`: as long as its bytes. */
  body: string
  etag: string
  /** The work may be shown only to a caller with `catalog:full`. */
  nsfw: boolean
  /** Of a list: the length of the whole. */
  total: number | undefined
  /** Whether `sendCached` has already replaced the sources' picture URLs with this service's. */
  isAddressed?: boolean
  /** Set by the cache that holds the response. */
  held?: { by: ResponseHolder; key: string }
}

export type ResponseHolder = {
  /** @param etag of the body in this encoding */
  openCompressed(
    response: CachedResponse,
    etag: string,
    encoding: ContentEncoding,
  ): OpenBody | Promise<OpenBody>
  /** Charges a response for its present size. */
  recharge(key: string, response: CachedResponse): void
}

/** What a statement found; `data` is JSON in wire shape. */
export type QueriedResponse = { nsfw: boolean; data: string; total?: number }

export function toCachedResponse({ nsfw, data, total }: QueriedResponse): CachedResponse {
  const bytes = Buffer.from(ENVELOPE_START + data)
  const etag = etagOf(bytes.subarray(ENVELOPE_START.length))
  return { body: bytes.toString(BODY_ENCODING), etag, nsfw, total }
}

/** `data` of an answer, in the encoding of its body. */
export const encodedData = ({ body }: CachedResponse) => body.slice(ENVELOPE_START.length)

/** An answer for everybody whose `data` is put together from others', in the encoding of bodies. */
export function fromEncodedData(data: string): CachedResponse {
  const etag = etagOf(Buffer.from(data, BODY_ENCODING))
  return { body: ENVELOPE_START + data, etag, nsfw: false, total: undefined }
}

/** Replaces the sources' picture URLs in a response with this service's. Does nothing the second time. */
export function addressPictures(response: CachedResponse, addresses: PictureAddresses | undefined) {
  if (response.isAddressed || !addresses) return
  response.isAddressed = true
  const body = addresses.inAnswer(response.body)
  if (body === response.body) return
  response.body = body
  response.etag = etagOf(Buffer.from(encodedData(response), BODY_ENCODING))
  response.held?.by.recharge(response.held.key, response)
}
