import { crc32 } from 'node:zlib'
import { type Entry, openPromise, type ZipFile } from 'yauzl'
import { damagedError, nameErrors, takeBytes, limitExpansion } from './bytes.ts'
import { HEAD_BYTES, type Archive } from '../dump.ts'
import { DumpError } from '../dump-error.ts'
import { ArchiveMembers } from './archive-members.ts'

/** Opens a zip and reads its members in place. The index is at the end, so a truncated zip cannot be opened. */
export async function openZip(path: string): Promise<Archive> {
  const zip = await openPromise(path, { lazyEntries: true, autoClose: false }).catch(
    (error: unknown) => {
      throw damagedError(path, error)
    },
  )
  try {
    const { names, entries } = await listEntries(zip, path)
    const read = (name: string) => readEntry(zip, entries.get(name), `${path}/${name}`)
    return {
      path,
      files: names.files,
      read,
      head: (name) => takeBytes(read(name), HEAD_BYTES),
      close: async () => zip.close(),
    }
  } catch (error) {
    zip.close()
    throw error
  }
}

async function listEntries(zip: ZipFile, path: string) {
  const names = new ArchiveMembers(path)
  const entries = new Map<string, Entry>()
  const listed = await collect(zip).catch((error: unknown) => {
    throw damagedError(path, error)
  })
  for (const entry of listed) {
    if (entry.fileName.endsWith('/') || isLink(entry)) continue
    entries.set(names.add(entry.fileName, entry.uncompressedSize), entry)
  }
  return { names, entries }
}

async function collect(zip: ZipFile): Promise<Entry[]> {
  const entries: Entry[] = []
  for await (const entry of zip.eachEntry()) entries.push(entry)
  return entries
}

/** Returns true for a symbolic link (0o120000). The upper half of the attributes contains the Unix file mode. */
const isLink = ({ externalFileAttributes }: Entry) =>
  ((externalFileAttributes >>> 16) & 0o170000) === 0o120000

async function* readEntry(
  zip: ZipFile,
  entry: Entry | undefined,
  location: string,
): AsyncGenerator<Uint8Array> {
  if (!entry) throw new DumpError(`${location} does not exist.`)
  if (entry.isEncrypted())
    throw new DumpError(`${location} is encrypted. Use an archive without a password.`)
  if (!entry.canDecodeFileData())
    throw new DumpError(
      `${location} uses an unsupported compression method (${entry.compressionMethod}). Pack it again.`,
    )
  const stated = () => entry.compressedSize
  yield* limitExpansion(nameErrors(verifyChecksum(zip, entry), location), stated, location)
}

async function* verifyChecksum(zip: ZipFile, entry: Entry): AsyncGenerator<Uint8Array> {
  let sum = 0
  const stream: AsyncIterable<Buffer> = await zip.openReadStreamPromise(entry)
  for await (const chunk of stream) {
    sum = crc32(chunk, sum)
    yield chunk
  }
  if (sum !== entry.crc32 >>> 0) throw new Error('its checksum does not match')
}
