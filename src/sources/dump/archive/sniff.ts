import { readBytes, readHead, takeBytes } from './bytes.ts'
import { isPgDump } from './pg-dump.ts'

/** File type, as indicated by the first bytes. */
export type FileKind =
  | { kind: 'zip' }
  | { kind: 'tar' | 'pg_dump'; packing: 'plain' | 'gzip' | 'zstd' }
  /** `format` completes the sentence "FILE is …". */
  | { kind: 'other'; format: string }

const BLOCK = 512

const UNSUPPORTED: readonly [bytes: string, what: string][] = [
  [
    'PGDMP',
    'a pg_dump in custom format. Convert it to a plain one first: pg_restore --file=dump.sql',
  ],
  ['\xfd7zXZ', 'compressed with xz, which is not supported. Decompress it first'],
  ['BZh', 'compressed with bzip2, which is not supported. Decompress it first'],
  ['7z\xbc\xaf', 'compressed with 7-Zip, which is not supported. Extract it first'],
  ['Rar!', 'compressed with RAR, which is not supported. Extract it first'],
  ['{', 'a single JSON file. Give the folder or archive that contains it'],
]

/**
 * Detects the type of a file, regardless of its name.
 *
 * @throws {DumpError} if the compressed data is damaged
 */
export async function sniff(file: string): Promise<FileKind> {
  const head = toLatin1(await readHead(file, BLOCK))
  if (head === '') return { kind: 'other', format: 'an empty file' }
  if (head.startsWith('PK\x03\x04') || head.startsWith('PK\x05\x06')) return { kind: 'zip' }
  const packing = head.startsWith('\x1f\x8b')
    ? 'gzip'
    : head.startsWith('\x28\xb5\x2f\xfd')
      ? 'zstd'
      : 'plain'
  const inside =
    packing === 'plain' ? head : toLatin1(await takeBytes(readBytes(file, packing), BLOCK))
  if (inside.startsWith('ustar', 257)) return { kind: 'tar', packing }
  if (isPgDump(inside)) return { kind: 'pg_dump', packing }
  const [, what] = UNSUPPORTED.find(([bytes]) => inside.startsWith(bytes)) ?? []
  return { kind: 'other', format: what ?? 'neither an archive nor a known dump' }
}

const toLatin1 = (bytes: Uint8Array) => Buffer.from(bytes).toString('latin1')
