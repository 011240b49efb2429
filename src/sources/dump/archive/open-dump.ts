import { stat } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { readBytes } from './bytes.ts'
import type { Archive, Dump } from '../dump.ts'
import { DumpError } from '../dump-error.ts'
import { openFolder } from './folder.ts'
import { type DumpSource, countTables, findTables, isTableOf, titleOf } from '../dump-source.ts'
import { openPgDump } from './pg-dump.ts'
import { type FileKind, sniff } from './sniff.ts'
import { openTableFiles } from '../tables/table-files.ts'

/** Requested format, and all known formats, by which a dump from another source is recognized. */
export type ExpectedFormat = { format: DumpSource; formats: readonly DumpSource[] }

/**
 * Opens a dump: a folder of tables, an archive as published, or a folder with a single such archive. The file type is
 * detected from the content, not from the name.
 *
 * @throws {DumpError} stating what was found instead and how to fix it
 */
export async function openDump(path: string, format: ExpectedFormat): Promise<Dump> {
  const stats = await stat(path).catch(() => undefined)
  if (!stats) throw new DumpError(`${path} does not exist.`)
  if (stats.isDirectory()) return openDumpFolder(path, format)
  if (!stats.isFile()) throw new DumpError(`${path} is neither a file nor a folder.`)
  return openDumpFile(path, await sniff(path), format)
}

async function openDumpFolder(path: string, format: ExpectedFormat): Promise<Dump> {
  const folder = await openFolder(path)
  const dump = tablesOf(folder, format)
  if (dump) return dump
  const names = [...folder.files.keys()].filter((name) => !name.includes('/'))
  const packed: [file: string, kind: FileKind][] = []
  for (const name of names.slice(0, MAX_FOLDER_FILES)) {
    const file = join(path, name)
    const kind = await sniff(file).catch((): FileKind => ({ kind: 'other', format: 'damaged' }))
    if (kind.kind !== 'other') packed.push([file, kind])
  }
  const [first] = packed
  if (!first) {
    const found = [...folder.files.keys()]
    const contents =
      found.length === 0
        ? 'a folder without files'
        : `a folder without a dump of ${titleOf(format.format)}. It contains ${summarizeNames(found)}`
    throw new DumpError(`${path} is ${contents}. ${advice(format)}`)
  }
  if (packed.length > 1)
    throw new DumpError(
      `${path} is a folder that contains ${packed.map(([file]) => basename(file)).join(' and ')}. Give one of them.`,
    )
  return openDumpFile(...first, format)
}

const MAX_FOLDER_FILES = 100

async function openDumpFile(path: string, kind: FileKind, format: ExpectedFormat): Promise<Dump> {
  if (kind.kind === 'other') throw new DumpError(`${path} is ${kind.format}. ${advice(format)}`)
  // The libraries for archives are loaded only when needed.
  if (kind.kind === 'zip') {
    const { openZip } = await import('./zip.ts')
    return openDumpArchive(await openZip(path), format)
  }
  const bytes = () => readBytes(path, kind.packing)
  if (kind.kind === 'tar') {
    const { openTar } = await import('./tar.ts')
    return openDumpArchive(
      await openTar(path, bytes, (name) => isTableOf(name, format.format)),
      format,
    )
  }
  const dump = await openPgDump(path, bytes)
  const [closest] = format.formats.toSorted((a, b) => countTables(dump, b) - countTables(dump, a))
  if (!closest || countTables(dump, closest) === 0)
    throw noTablesError(path, [...dump.tables.keys()], format)
  if (closest !== format.format) throw wrongSourceError(path, closest, format)
  return dump
}

async function openDumpArchive(archive: Archive, format: ExpectedFormat): Promise<Dump> {
  try {
    const dump = tablesOf(archive, format)
    if (!dump) throw noTablesError(archive.path, [...archive.files.keys()], format)
    return dump
  } catch (error) {
    await archive.close()
    throw error
  }
}

/** Returns the tables among the files, or `undefined` if the files are not tables of any source. */
function tablesOf(archive: Archive, { format, formats }: ExpectedFormat): Dump | undefined {
  const found = formats.filter((item) => findTables(archive, item).count > 0)
  const other = found.find((item) => item !== format)
  if (!other && found.length === 0) return undefined
  if (!found.includes(format) && other)
    throw wrongSourceError(archive.path, other, { format, formats })
  if (other)
    throw new DumpError(
      `${archive.path} contains dumps of ${titleOf(format)} and of ${titleOf(other)}. Give a folder or an archive that contains only one of them.`,
    )
  return openTableFiles(archive, findTables(archive, format).folder, format.layout)
}

const wrongSourceError = (path: string, found: DumpSource, { format }: ExpectedFormat) =>
  new DumpError(
    `${path} is a dump of ${titleOf(found)}, not of ${titleOf(format)}: mokuroku import ${found.source} ${path}`,
  )

const noTablesError = (path: string, names: string[], format: ExpectedFormat) =>
  new DumpError(
    `${path} is not a dump of ${titleOf(format.format)}: it contains ${summarizeNames(names)}. ${advice(format)}`,
  )

const advice = ({ format }: ExpectedFormat) =>
  `Give ${format.publishedAs}, or a folder of its tables.`

function summarizeNames(names: string[]): string {
  if (names.length === 0) return 'nothing'
  const more = names.length - 3
  return `${names.slice(0, 3).join(', ')}${more > 0 ? ` and ${more} more` : ''}`
}
