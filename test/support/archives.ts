import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { crc32, deflateRawSync } from 'node:zlib'
import { packTar, type TarEntry } from 'modern-tar'

/** For tests: files by the path they have in an archive. */
export type Members = Record<string, Uint8Array | string>

/** The files of a folder, and of its folders. */
export function filesUnder(folder: string): Members {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true })
  const files = entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name))
  return Object.fromEntries(files.map((file) => [file.slice(folder.length + 1), readFileSync(file)]))
}

/** A tar of these files, in their order, with further entries such as links before them. */
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

/** A zip of these files; a list of entries can hold what no well-made zip does. */
export function zipOf(members: Members | ZipEntry[]): Buffer {
  const entries: ZipEntry[] = Array.isArray(members)
    ? members
    : Object.entries(members).map(([name, body]) => ({ name, body }))
  const parts: Buffer[] = []
  const directory: Buffer[] = []
  let offset = 0
  for (const { name, body, flags = 0x800, attributes = 0, method = 8 } of entries) {
    const packed = deflateRawSync(body)
    // From the version needed to the length of the extra field, which both headers have in common.
    const common = numbers(
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
    const local = Buffer.concat([numbers([0x04034b50, 4]), common, Buffer.from(name), packed])
    directory.push(
      numbers([0x02014b50, 4], [0x0314, 2]),
      common,
      numbers([0, 2], [0, 2], [0, 2], [attributes, 4], [offset, 4]),
      Buffer.from(name),
    )
    parts.push(local)
    offset += local.length
  }
  const list = Buffer.concat(directory)
  const end = numbers(
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

function numbers(...fields: [value: number, bytes: 2 | 4][]): Buffer {
  return Buffer.concat(
    fields.map(([value, bytes]) => {
      const buffer = Buffer.alloc(bytes)
      if (bytes === 2) buffer.writeUInt16LE(value)
      else buffer.writeUInt32LE(value >>> 0)
      return buffer
    }),
  )
}

/** The plain pg_dump of tables that are `.tsv` files with their column names on the first line. */
export function pgDumpOf(tables: Members): string {
  const copies = Object.entries(tables).map(([file, body]) => {
    // A row may end with an empty cell, and so with a tab.
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
