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

/** What is to be opened: the format that was asked for, and all there are, to tell what else it may be. */
export type Wanted = { format: DumpSource; formats: readonly DumpSource[] }

/**
 * Opens a dump, whatever it is packed in: a folder of its tables, the archive as it was published, or a folder that
 * holds exactly one such archive. What a file is is told by its content, not by its name.
 *
 * @throws {DumpError} saying what was found instead, and what to do
 */
export async function openDump(path: string, wanted: Wanted): Promise<Dump> {
  const stats = await stat(path).catch(() => undefined)
  if (!stats) throw new DumpError(`${path} does not exist.`)
  if (stats.isDirectory()) return openDumpFolder(path, wanted)
  if (!stats.isFile()) throw new DumpError(`${path} is neither a file nor a folder.`)
  return openDumpFile(path, await sniff(path), wanted)
}

async function openDumpFolder(path: string, wanted: Wanted): Promise<Dump> {
  const folder = await openFolder(path)
  const dump = tablesOf(folder, wanted)
  if (dump) return dump
  const names = [...folder.files.keys()].filter((name) => !name.includes('/'))
  const packed: [file: string, kind: FileKind][] = []
  for (const name of names.slice(0, MOST_FILES)) {
    const file = join(path, name)
    const kind = await sniff(file).catch((): FileKind => ({ kind: 'other', what: 'damaged' }))
    if (kind.kind !== 'other') packed.push([file, kind])
  }
  const [first] = packed
  if (!first) {
    const found = [...folder.files.keys()]
    const what =
      found.length === 0
        ? 'a folder without files'
        : `a folder that holds no dump of ${titleOf(wanted.format)}, only ${listed(found)}`
    throw new DumpError(`${path} is ${what}. ${advice(wanted)}`)
  }
  if (packed.length > 1)
    throw new DumpError(
      `${path} is a folder that holds ${packed.map(([file]) => basename(file)).join(' and ')}. Give one of them.`,
    )
  return openDumpFile(...first, wanted)
}

/** A folder with more files than this is no place where somebody keeps a dump. */
const MOST_FILES = 100

async function openDumpFile(path: string, kind: FileKind, wanted: Wanted): Promise<Dump> {
  if (kind.kind === 'other') throw new DumpError(`${path} is ${kind.what}. ${advice(wanted)}`)
  // Their libraries are loaded for those who give an archive.
  if (kind.kind === 'zip') {
    const { openZip } = await import('./zip.ts')
    return dumpIn(await openZip(path), wanted)
  }
  const bytes = () => readBytes(path, kind.packing)
  if (kind.kind === 'tar') {
    const { openTar } = await import('./tar.ts')
    return dumpIn(await openTar(path, bytes, (name) => isTableOf(name, wanted.format)), wanted)
  }
  const dump = await openPgDump(path, bytes)
  const [likest] = wanted.formats.toSorted(
    (one, other) => countTables(dump, other) - countTables(dump, one),
  )
  if (!likest || countTables(dump, likest) === 0)
    throw holdsNone(path, [...dump.tables.keys()], wanted)
  if (likest !== wanted.format) throw wrongSource(path, likest, wanted)
  return dump
}

async function dumpIn(archive: Archive, wanted: Wanted): Promise<Dump> {
  try {
    const dump = tablesOf(archive, wanted)
    if (!dump) throw holdsNone(archive.path, [...archive.files.keys()], wanted)
    return dump
  } catch (error) {
    await archive.close()
    throw error
  }
}

/** The tables among some files; undefined when there are none of any source. */
function tablesOf(archive: Archive, { format, formats }: Wanted): Dump | undefined {
  const found = formats.filter((one) => findTables(archive, one).count > 0)
  const other = found.find((one) => one !== format)
  if (!other && found.length === 0) return undefined
  if (!found.includes(format) && other) throw wrongSource(archive.path, other, { format, formats })
  if (other)
    throw new DumpError(
      `${archive.path} holds dumps of ${titleOf(format)} and of ${titleOf(other)}. Give one that holds one of them.`,
    )
  return openTableFiles(archive, findTables(archive, format).folder, format.layout)
}

const wrongSource = (path: string, found: DumpSource, { format }: Wanted) =>
  new DumpError(
    `${path} is a dump of ${titleOf(found)}, not of ${titleOf(format)}: mokuroku import ${found.source} ${path}`,
  )

const holdsNone = (path: string, names: string[], wanted: Wanted) =>
  new DumpError(
    `${path} is no dump of ${titleOf(wanted.format)}: it holds ${listed(names)}. ${advice(wanted)}`,
  )

const advice = ({ format }: Wanted) => `Give ${format.published}, or a folder of its tables.`

/** Some names, and how many more. */
function listed(names: string[]): string {
  if (names.length === 0) return 'nothing'
  const more = names.length - 3
  return `${names.slice(0, 3).join(', ')}${more > 0 ? ` and ${more} more` : ''}`
}
