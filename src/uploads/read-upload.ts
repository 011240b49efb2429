import type { FastifyInstance, FastifyRequest } from 'fastify'
import { formTooLarge, tooManyFormFields, unreadableForm } from '../http/wire/errors/refusals.ts'
import { MAX_UPLOAD_BYTES } from './encode-upload.ts'

/** Above the limit of a picture, so that one slightly too large gets a specific error. */
const MAX_BODY_BYTES = 2 * MAX_UPLOAD_BYTES
/**
 * Multiple of the limit up to which a form that is too large is still read to its end, so that the browser reads the
 * response.
 */
const READ_ON = 10
const MAX_FIELDS = 20

/** Media types that an API route accepts as its whole body. */
export const RAW_UPLOAD_TYPES = ['image/jpeg', 'image/png', 'image/webp', 'image/gif', 'image/avif']

/**
 * Accepts forms with a file (`multipart/form-data`) in this scope. Use a separate scope, so that other forms stay
 * small. The body has text fields, keyed by name, like other forms, and files, which `readUpload` returns. File fields
 * without a chosen file are omitted.
 *
 * @param maxBytes maximum size of the form in bytes; by default twice that of a picture
 * @param tooLarge error for a larger form
 */
export function acceptUploadForms(
  app: FastifyInstance,
  {
    maxBytes = MAX_BODY_BYTES,
    tooLarge = formTooLarge,
  }: { maxBytes?: number; tooLarge?: () => Error } = {},
) {
  app.addContentTypeParser(
    'multipart/form-data',
    async (request: FastifyRequest, payload: AsyncIterable<Buffer>) => {
      const pieces: Buffer[] = []
      let length = 0
      for await (const piece of payload) {
        length += piece.length
        if (length > READ_ON * maxBytes) break
        if (length <= maxBytes) pieces.push(piece)
      }
      if (length > maxBytes) throw tooLarge()
      const body = Buffer.concat(pieces)
      const boundary = boundaryOf(request.headers['content-type'] ?? '')
      if (countParts(body, boundary) > MAX_FIELDS) throw tooManyFormFields()
      return readForm(body, boundary)
    },
  )
}

/** Accepts a picture as the request body in this scope, with its own media type. */
export function acceptRawUploads(app: FastifyInstance) {
  app.addContentTypeParser(
    RAW_UPLOAD_TYPES,
    { parseAs: 'buffer', bodyLimit: MAX_BODY_BYTES },
    async (_request: FastifyRequest, body: Buffer) => body,
  )
}

/** Returns the uploaded file, from a form field or the whole body; an empty buffer if it is missing. */
export function readUpload({ body }: FastifyRequest, field = 'picture'): Buffer {
  const fields: Record<string, unknown> = Object(body)
  const sent = Object.hasOwn(fields, field) ? fields[field] : body
  return Buffer.isBuffer(sent) ? sent : Buffer.alloc(0)
}

/** A boundary as allowed by RFC 2046 §5.1.1. */
const BOUNDARY = /^boundary="?([\w'()+,./:=?-]{1,70})"?$/i

/** @throws {ApiError} if the header has no boundary */
function boundaryOf(contentType: string): string {
  const parameters = contentType.split(';').map((parameter) => BOUNDARY.exec(parameter.trim())?.[1])
  const boundary = parameters.find((value) => value !== undefined)
  if (boundary === undefined) throw unreadableForm()
  return boundary
}

/** Counts the parts before they are parsed, because parsing costs far more. */
function countParts(body: Buffer, boundary: string): number {
  const delimiter = `--${boundary}`
  let count = 0
  for (
    let at = body.indexOf(delimiter);
    at >= 0;
    at = body.indexOf(delimiter, at + delimiter.length)
  )
    count += 1
  // The last delimiter ends the form.
  return count - 1
}

/** @throws {ApiError} if the form is malformed */
async function readForm(
  body: Buffer<ArrayBuffer>,
  boundary: string,
): Promise<Record<string, string | Buffer>> {
  const fields = new Map<string, string | Buffer>()
  const headers = { 'content-type': `multipart/form-data; boundary="${boundary}"` }
  const form = await new Response(body, { headers }).formData().catch(() => {
    throw unreadableForm()
  })
  for (const [name, value] of form) {
    // Browsers send this if no file was chosen.
    if (typeof value !== 'string' && value.name === '' && value.size === 0) continue
    // The first of several values wins, as in other forms.
    if (!fields.has(name))
      fields.set(name, typeof value === 'string' ? value : Buffer.from(await value.arrayBuffer()))
  }
  return Object.fromEntries(fields)
}
