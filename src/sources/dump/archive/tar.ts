import { createTarDecoder, type ParsedTarEntry } from 'modern-tar'
import { damagedError, nameErrors } from './bytes.ts'
import { HEAD_BYTES, type Archive } from '../dump.ts'
import { FileCache } from './file-cache.ts'
import { ArchiveMembers } from './archive-members.ts'
import { rejectUnknownTypes } from './tar-member-types.ts'

/**
 * Opens a tar. A tar has no index, so opening reads all of it once, which also detects truncation.
 *
 * The wanted files are cached as long as they fit. Reading any other file scans the tar from its start.
 *
 * @param bytes returns the decompressed tar from its start
 */
export async function openTar(
  path: string,
  bytes: () => AsyncIterable<Uint8Array>,
  isWanted: (name: string) => boolean,
): Promise<Archive> {
  const names = new ArchiveMembers(path)
  const cache = new FileCache()
  const heads = new Map<string, Uint8Array>()
  for await (const { header, body } of entriesOf(path, rejectUnknownTypes(path, bytes()))) {
    if (header.type !== 'file') continue
    const name = names.add(header.name, header.size)
    const content = nameErrors(body, path)
    const isLarge = header.size > HEAD_BYTES
    heads.set(name, await headOf(isLarge && isWanted(name) ? cache.store(name, content) : content))
  }
  const head = (name: string) => heads.get(name) ?? new Uint8Array()
  return {
    path,
    files: names.files,
    head: async (name) => head(name),
    read(name) {
      if (names.files.get(name)?.size === head(name).length) return [head(name)]
      return cache.has(name) ? cache.read(name) : readMember(path, bytes(), name)
    },
    close: async () => {},
  }
}

async function* readMember(path: string, bytes: AsyncIterable<Uint8Array>, name: string) {
  for await (const { header, body } of entriesOf(path, bytes)) {
    if (header.type !== 'file' || header.name.replace(/^(?:\.\/)+/, '') !== name) continue
    yield* nameErrors(body, path)
    return
  }
}

/** Reads a body to its end and returns its first bytes. */
async function headOf(body: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const parts: Uint8Array[] = []
  let length = 0
  for await (const chunk of body) {
    if (length < HEAD_BYTES) parts.push(chunk.subarray(0, HEAD_BYTES - length))
    length += chunk.length
  }
  return Buffer.concat(parts)
}

/** Yields the members in order and skips what the caller did not read. */
async function* entriesOf(
  path: string,
  bytes: AsyncIterable<Uint8Array>,
): AsyncGenerator<ParsedTarEntry> {
  const entries = ReadableStream.from(bytes).pipeThrough(createTarDecoder({ strict: true }))
  const reader = entries.getReader()
  try {
    for (;;) {
      const { done, value } = await reader.read().catch((error: unknown) => {
        throw damagedError(path, error)
      })
      if (done) return
      yield value
      // The next member follows only after this one has been read to its end.
      for await (const _ of nameErrors(value.body, path));
    }
  } finally {
    await reader.cancel().catch(() => {})
  }
}
