import type { FastifyInstance, FastifyRequest } from 'fastify'
import { fileTooLarge } from '../../http/wire/feature-refusals.ts'
import { MAX_BYTES } from '../../ratings/lists/unpack.ts'

/** Around the file: the other fields, and what stands between them. */
const MAX_AROUND = 64 * 1024
/** A form that is too large is read to its end, so that the browser reads the answer; one beyond this is not. */
const MAX_READ = 10 * MAX_BYTES

/** Has the forms of this scope be read that have a file in them. Fields are texts, and files are buffers. */
export function takeUploads(app: FastifyInstance): void {
  app.removeContentTypeParser('multipart/form-data')
  app.addContentTypeParser(
    'multipart/form-data',
    async (request: FastifyRequest, payload: AsyncIterable<Buffer>) => {
      const pieces: Buffer[] = []
      let length = 0
      for await (const piece of payload) {
        length += piece.length
        if (length > MAX_READ) break
        if (length <= MAX_BYTES + MAX_AROUND) pieces.push(piece)
      }
      if (length > MAX_BYTES + MAX_AROUND) throw fileTooLarge(MAX_BYTES)
      return readForm(Buffer.concat(pieces), request.headers['content-type'] ?? '')
    },
  )
}

/** @returns nothing when it is no such form: then it has no token either, and is refused as any that is not ours */
async function readForm(bytes: Buffer<ArrayBuffer>, type: string): Promise<Record<string, string | Buffer>> {
  const form = await new Response(bytes, { headers: { 'content-type': type } })
    .formData()
    .catch(() => undefined)
  const fields: Record<string, string | Buffer> = Object.create(null)
  for (const [name, value] of form ?? []) {
    // What browsers send where no file was chosen.
    if (typeof value !== 'string' && value.name === '' && value.size === 0) continue
    fields[name] ??= typeof value === 'string' ? value : Buffer.from(await value.arrayBuffer())
  }
  return fields
}
