import { ApiError } from '../../http/wire/errors/errors.ts'
import { valueFaultText } from '../../ui/value-fault-text.ts'
import type { PageContext } from '../../ui/page/page-context.ts'
import { readListFile } from '../../ratings/lists/formats/read-list-file.ts'
import type { ListSource } from '../../ratings/lists/schemas.ts'
import { decompressFile, ZIP_SIGNATURE } from '../../ratings/lists/formats/decompress-file.ts'

/** What is wrong with a file, in the reader's language, and where exactly, as the reader of the file says it. */
export type FileFault = { status: number; text: string; detail?: string | undefined }

/** How files begin that tell whose they are. */
const MARKS: readonly [source: ListSource, mark: RegExp][] = [
  ['vndb', /<vndb-export[\s>]/],
  ['mal', /<myanimelist[\s>]/],
  ['bangumi', /"subject_id"\s*:/],
  ['mokuroku', /"work_type"\s*:/],
]
/** Bytes that are looked at for them. */
const START = 16 * 1024

/**
 * What keeps a file from being imported; undefined when it can be.
 *
 * @param source whose file the reader says it is
 */
export async function findFileFault(
  source: ListSource,
  bytes: Buffer,
  { language, messages: { importPage: words } }: Pick<PageContext, 'language' | 'messages'>,
): Promise<FileFault | undefined> {
  const { faults } = words
  if (bytes.length === 0) return { status: 422, text: faults.empty }
  if (bytes.subarray(0, ZIP_SIGNATURE.length).equals(ZIP_SIGNATURE))
    return { status: 422, text: faults.zip }
  try {
    const unpacked = await decompressFile(bytes)
    const start = unpacked.subarray(0, START).toString('latin1')
    const [found] = MARKS.find(([, mark]) => mark.test(start)) ?? []
    if (found && found !== source)
      return { status: 422, text: faults.otherSource({ source: words.sources[found].name }) }
    const { rows } = await readListFile(source, unpacked)
    return rows.length === 0 ? { status: 422, text: faults.noRows } : undefined
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    if (error.status === 413) return { status: 413, text: faults.tooLargeUnpacked }
    const [fault] = error.faults ?? []
    if (fault?.code === 'file.anime') return { status: 422, text: faults.anime }
    const detail = fault && valueFaultText(language, fault)
    return { status: 422, text: faults.unreadable({ source: words.sources[source].name }), detail }
  }
}
