import { createTarDecoder, type ParsedTarEntry } from 'modern-tar'
import { damaged, naming } from './bytes.ts'
import { HEAD_BYTES, type Archive } from '../dump.ts'
import { KeptFiles } from './kept-files.ts'
import { MemberNames } from './member-names.ts'
import { refuseOddKinds } from './tar-kinds.ts'

/**
 * The files of a tar, which has no list of them: opening reads all of it once, and so finds what is cut off. The files that
 * are wanted are kept compressed as far as there is room; another is looked for from the beginning each time it is read.
 *
 * @param bytes begins the tar anew, expanded
 */
export async function openTar(
  path: string,
  bytes: () => AsyncIterable<Uint8Array>,
  isWanted: (name: string) => boolean,
): Promise<Archive> {
  const names = new MemberNames(path)
  const kept = new KeptFiles()
  const heads = new Map<string, Uint8Array>()
  for await (const { header, body } of entriesOf(path, refuseOddKinds(path, bytes()))) {
    if (header.type !== 'file') continue
    const name = names.add(header.name, header.size)
    const named = naming(body, path)
    const isLarge = header.size > HEAD_BYTES
    heads.set(name, await headOf(isLarge && isWanted(name) ? kept.keep(name, named) : named))
  }
  const head = (name: string) => heads.get(name) ?? new Uint8Array()
  return {
    path,
    files: names.files,
    head: async (name) => head(name),
    read(name) {
      if (names.files.get(name)?.size === head(name).length) return one(head(name))
      return kept.has(name) ? kept.read(name) : readMember(path, bytes(), name)
    },
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

/** The first bytes of a body, which is read to its end. */
async function headOf(body: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const parts: Uint8Array[] = []
  let length = 0
  for await (const chunk of body) {
    if (length < HEAD_BYTES) parts.push(chunk.subarray(0, HEAD_BYTES - length))
    length += chunk.length
  }
  return Buffer.concat(parts)
}

/** The members in their order; what was not read of one is passed over. */
async function* entriesOf(
  path: string,
  bytes: AsyncIterable<Uint8Array>,
): AsyncGenerator<ParsedTarEntry> {
  const entries = ReadableStream.from(bytes).pipeThrough(createTarDecoder({ strict: true }))
  const reader = entries.getReader()
  try {
    for (;;) {
      const { done, value } = await reader.read().catch((error: unknown) => {
        throw damaged(path, error)
      })
      if (done) return
      yield value
      // To its end, for the next member comes only then.
      for await (const _ of naming(value.body, path));
    }
  } finally {
    await reader.cancel().catch(() => {})
  }
}
