import { ApiError } from '../../http/wire/errors/errors.ts'
import { valueFaultText } from '../../ui/value-fault-text.ts'
import type { PageContext } from '../../ui/page/page-context.ts'
import {
  decompressFile,
  readListFile,
  ZIP_SIGNATURE,
} from '../../ratings/lists/formats/read-list-file.ts'
import type { ListSource } from '../../ratings/lists/schemas.ts'

/** Problem with a file in the viewer's language, with the position if the parser reports one. */
export type FileFault = { status: number; text: string; detail?: string | undefined }

/** Text near the start of a file that identifies its source. */
const SOURCE_MARKERS: readonly [source: ListSource, mark: RegExp][] = [
  ['vndb', /<vndb-export[\s>]/],
  ['mal', /<myanimelist[\s>]/],
  ['bangumi', /"subject_id"\s*:/],
  ['mokuroku', /"work_type"\s*:/],
]
/** Number of bytes searched for these markers. */
const MARKER_BYTES = 16 * 1024

/**
 * Returns the reason a file cannot be imported; undefined if it can.
 *
 * @param source source that the user selected
 */
export async function findFileFault(
  source: ListSource,
  bytes: Buffer,
  { language, messages: { importPage: texts } }: Pick<PageContext, 'language' | 'messages'>,
): Promise<FileFault | undefined> {
  const { faults } = texts
  if (bytes.length === 0) return { status: 422, text: faults.empty }
  if (bytes.subarray(0, ZIP_SIGNATURE.length).equals(ZIP_SIGNATURE))
    return { status: 422, text: faults.zip }
  try {
    const unpacked = await decompressFile(bytes)
    const start = unpacked.subarray(0, MARKER_BYTES).toString('latin1')
    const [found] = SOURCE_MARKERS.find(([, mark]) => mark.test(start)) ?? []
    if (found && found !== source)
      return { status: 422, text: faults.otherSource({ source: texts.sources[found].name }) }
    const { rows } = await readListFile(source, unpacked)
    return rows.length === 0 ? { status: 422, text: faults.noRows } : undefined
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    if (error.status === 413) return { status: 413, text: faults.tooLargeUnpacked }
    const [fault] = error.faults ?? []
    if (fault?.code === 'file.anime') return { status: 422, text: faults.anime }
    const detail = fault && valueFaultText(language, fault)
    return { status: 422, text: faults.unreadable({ source: texts.sources[source].name }), detail }
  }
}
