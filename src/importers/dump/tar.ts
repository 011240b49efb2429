import { createTarDecoder, type ParsedTarEntry } from 'modern-tar'
import { damaged, naming, takeBytes } from './bytes.ts'
import { HEAD_BYTES, type Archive } from './dump.ts'
import { MemberNames } from './member-names.ts'

/**
 * The files of a tar, which has no list of them: opening reads all of it once, and so finds what is cut off. Small files
 * are kept then; a larger one is looked for from the beginning each time it is read.
 *
 * @param bytes begins the tar anew, expanded
 */
export async function openTar(path: string, bytes: () => AsyncIterable<Uint8Array>): Promise<Archive> {
  const names = new MemberNames(path)
  const heads = new Map<string, Uint8Array>()
  for await (const { header, body } of entriesOf(path, bytes())) {
    if (header.type !== 'file') continue
    const name = names.add(header.name, header.size)
    heads.set(name, await takeBytes(naming(body, path), HEAD_BYTES))
  }
  const head = (name: string) => heads.get(name) ?? new Uint8Array()
  return {
    path,
    files: names.files,
    head: async (name) => head(name),
    read: (name) =>
      names.files.get(name)?.size === head(name).length ? one(head(name)) : readMember(path, bytes(), name),
    close: async () => {},
  }
}

async function* one(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes
}

async function* readMember(path: string, bytes: AsyncIterable<Uint8Array>, name: string) {
  for await (const { header, body } of entriesOf(path, bytes)) {
    if (header.type !== 'file' || header.name.replace(/^(?:\.\/)+/, '') !== name) continue
    yield* naming(body, path)
    return
  }
}

/** The members in their order; what was not read of one is passed over. */
async function* entriesOf(path: string, bytes: AsyncIterable<Uint8Array>): AsyncGenerator<ParsedTarEntry> {
  const entries = ReadableStream.from(bytes).pipeThrough(createTarDecoder({ strict: true }))
  const reader = entries.getReader()
  try {
    for (;;) {
      const { done, value } = await reader.read().catch((error: unknown) => {
        throw damaged(path, error)
      })
      if (done) return
      yield value
      if (!value.body.locked) await value.body.cancel()
    }
  } finally {
    await reader.cancel().catch(() => {})
  }
}
