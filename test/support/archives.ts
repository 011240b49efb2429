import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { crc32, deflateRawSync } from 'node:zlib'
import { packTar, type TarEntry } from 'modern-tar'

/** Files, keyed by their path in an archive. */
export type Members = Record<string, Uint8Array | string>

/** Returns all files below a folder. */
export function filesUnder(folder: string): Members {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true })
  const files = entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name))
  return Object.fromEntries(
    files.map((file) => [file.slice(folder.length + 1), readFileSync(file)]),
  )
}

/** Returns a tar of these files, in order, followed by other entries such as links. */
export const tarOf = (members: Members, before: TarEntry[] = []): Promise<Uint8Array> =>
  packTar([
    ...before,
    ...Object.entries(members).map(([name, body]) => ({
      header: { name, size: Buffer.byteLength(body), type: 'file' as const },
      body,
    })),
  ])

type ZipEntry = {
  name: string
  body: Uint8Array | string
  flags?: number
  attributes?: number
  method?: number
}

/** Returns a zip of these files. Listed entries may be malformed. */
export function zipOf(members: Members | ZipEntry[]): Buffer {
  const entries: ZipEntry[] = Array.isArray(members)
    ? members
    : Object.entries(members).map(([name, body]) => ({ name, body }))
  const parts: Buffer[] = []
  const directory: Buffer[] = []
  let offset = 0
  for (const { name, body, flags = 0x800, attributes = 0, method = 8 } of entries) {
    const packed = deflateRawSync(body)
    // From the required version to the length of the extra field. Both headers share this part.
    const common = littleEndian(
      [20, 2],
      [flags, 2],
      [method, 2],
      [0, 4],
      [crc32(body), 4],
      [packed.length, 4],
      [Buffer.byteLength(body), 4],
      [Buffer.byteLength(name), 2],
      [0, 2],
    )
    const local = Buffer.concat([littleEndian([0x04034b50, 4]), common, Buffer.from(name), packed])
    directory.push(
      littleEndian([0x02014b50, 4], [0x0314, 2]),
      common,
      littleEndian([0, 2], [0, 2], [0, 2], [attributes, 4], [offset, 4]),
      Buffer.from(name),
    )
    parts.push(local)
    offset += local.length
  }
  const list = Buffer.concat(directory)
  const end = littleEndian(
    [0x06054b50, 4],
    [0, 4],
    [entries.length, 2],
    [entries.length, 2],
    [list.length, 4],
    [offset, 4],
    [0, 2],
  )
  return Buffer.concat([...parts, list, end])
}

/**
 * Returns a zip with zip64 records only, like one larger than 4 GiB. The other members start `hole` bytes after the
 * first; in a file this gap occupies no space.
 *
 * @returns the pieces with their offsets
 */
export function zip64Of(members: Members, hole: number): { at: number; bytes: Buffer }[] {
  const pieces: { at: number; bytes: Buffer }[] = []
  const directory: Buffer[] = []
  let at = 0
  for (const [name, body] of Object.entries(members)) {
    const packed = deflateRawSync(body)
    const head = littleEndian([45, 2], [0x800, 2], [8, 2], [0, 4], [crc32(body), 4])
    const zip64Placeholder = littleEndian(
      [0xffffffff, 4],
      [0xffffffff, 4],
      [Buffer.byteLength(name), 2],
    )
    const sizes = [BigInt(Buffer.byteLength(body)), BigInt(packed.length)]
    const local = [
      littleEndian([0x04034b50, 4]),
      head,
      zip64Placeholder,
      littleEndian([20, 2]),
      Buffer.from(name),
    ]
    const bytes = Buffer.concat([
      ...local,
      littleEndian([1, 2], [16, 2]),
      uint64s(...sizes),
      packed,
    ])
    pieces.push({ at, bytes })
    directory.push(
      littleEndian([0x02014b50, 4], [0x032d, 2]),
      head,
      zip64Placeholder,
      littleEndian([28, 2], [0, 2], [0, 2], [0, 2], [0, 4], [0xffffffff, 4]),
      Buffer.from(name),
      littleEndian([1, 2], [24, 2]),
      uint64s(...sizes, BigInt(at)),
    )
    at += bytes.length + (pieces.length === 1 ? hole : 0)
  }
  const list = Buffer.concat(directory)
  const count = BigInt(pieces.length)
  const end = Buffer.concat([
    littleEndian([0x06064b50, 4]),
    uint64s(44n),
    littleEndian([45, 2], [45, 2], [0, 4], [0, 4]),
    uint64s(count, count, BigInt(list.length), BigInt(at)),
    littleEndian([0x07064b50, 4], [0, 4]),
    uint64s(BigInt(at + list.length)),
    littleEndian([1, 4]),
    littleEndian(
      [0x06054b50, 4],
      [0, 2],
      [0, 2],
      [0xffff, 2],
      [0xffff, 2],
      [0xffffffff, 4],
      [0xffffffff, 4],
      [0, 2],
    ),
  ])
  return [...pieces, { at, bytes: Buffer.concat([list, end]) }]
}

const uint64s = (...values: bigint[]) =>
  Buffer.concat(
    values.map((value) => {
      const buffer = Buffer.alloc(8)
      buffer.writeBigUInt64LE(value)
      return buffer
    }),
  )

function littleEndian(...fields: [value: number, bytes: 2 | 4][]): Buffer {
  return Buffer.concat(
    fields.map(([value, bytes]) => {
      const buffer = Buffer.alloc(bytes)
      if (bytes === 2) buffer.writeUInt16LE(value)
      else buffer.writeUInt32LE(value >>> 0)
      return buffer
    }),
  )
}

/** Returns a plain pg_dump of tables given as `.tsv` files with column names on the first line. */
export function pgDumpOf(tables: Members): string {
  const copies = Object.entries(tables).map(([file, body]) => {
    // A row may end with an empty cell, that is, with a tab.
    const [header = '', ...rows] = body.toString().replace(/\n$/, '').split('\n')
    const columns = header.split('\t').map((column) => (column === 'order' ? '"order"' : column))
    return `COPY public.${file.replace('.tsv', '')} (${columns.join(', ')}) FROM stdin;\n${rows.map((row) => `${row}\n`).join('')}\\.\n`
  })
  return [
    '--\n-- PostgreSQL database dump\n--\n',
    '\\restrict abc\n',
    "SET client_encoding = 'UTF8';\n",
    'CREATE TABLE public.series (\n    id integer NOT NULL\n);\n',
    ...copies,
    '--\n-- PostgreSQL database dump complete\n--\n',
  ].join('\n')
}
