import { kindOfWorkType, WORK_TYPES } from '../../../catalog/work-types.ts'
import {
  addRow,
  invalid,
  newListFile,
  notAnObject,
  truncateTitle,
  type ListFile,
  type ListRow,
  type LookupKey,
} from './list-row.ts'
import { fileFault } from '../../../http/wire/errors/feature-refusals.ts'
import { enumFault } from '../../../http/wire/errors/refusals.ts'
import { readRowProgress } from './row-progress.ts'
import { readJson } from './read-json.ts'
import { isJsonObject } from '../../../kernel/is-json-object.ts'

/** Maximum number of source ids per work. */
const MAX_IDS = 20

/** Maximum number of fields per rating. An export has fewer than 30, and each unknown field costs a validation. */
const MAX_FIELDS = 50

/** Source names and ids that the database accepts as parameters. */
const EXTERNAL_ID = /^[^\p{Cc}\p{Cs}]{1,200}$/u

/**
 * Reads an export of this service: the whole response, its `data`, or only the list. Works are identified by their ids
 * at the sources, which are the same in every installation. The id in this catalog is used only if there are no such
 * ids.
 *
 * @throws {ApiError} `COMMON_VALIDATION_FAILED` if the file has another format
 */
export async function readMokurokuList(bytes: Buffer): Promise<ListFile> {
  const file = newListFile()
  const { hasList } = await readJson(bytes, {
    lists: [[], ['ratings'], ['data', 'ratings'], ['progress'], ['data', 'progress']],
    onEntry: (rating) => addRow(file, toRow(rating)),
  })
  if (!hasList) throw fileFault('file.not_own')
  return file
}

function toRow(rating: unknown): ListRow {
  if (!isJsonObject(rating)) return notAnObject
  if (Object.keys(rating).length > MAX_FIELDS)
    return {
      externalId: null,
      title: '',
      ...invalid({ code: 'schema.max_fields', params: { limit: MAX_FIELDS } }),
    }
  const { work_type, work_id, work, external_ids, progress, ...fields } = rating
  const hasId = Number.isSafeInteger(work_id) && Number(work_id) > 0
  const row = {
    externalId: hasId ? String(work_id) : null,
    title: truncateTitle(isJsonObject(work) ? work['name'] : undefined),
  }
  // Older exports have work types in lower case.
  const kind = kindOfWorkType(work_type)
  if (!kind) return { ...row, ...invalid(enumFault(WORK_TYPES), 'work_type') }
  const ids = Object.entries(isJsonObject(external_ids) ? external_ids : {})
  const keys = ids.flatMap(([source, id]): LookupKey[] =>
    typeof id === 'string' && EXTERNAL_ID.test(id) && EXTERNAL_ID.test(source)
      ? [{ kind, source, external_id: id }]
      : [],
  )
  if (keys.length < ids.length || ids.length > MAX_IDS)
    return {
      ...row,
      ...invalid({ code: 'row.external_ids', params: { max: MAX_IDS } }, 'external_ids'),
    }
  if (keys.length === 0 && hasId) keys.push({ kind, work_id: Number(work_id) })
  if (keys.length === 0) return { ...row, ...invalid({ code: 'row.no_work' }, 'external_ids') }
  if (progress === undefined) return { ...row, keys, fields }
  const read = readRowProgress(kind, isJsonObject(progress) ? progress : { progress })
  const [fault] = read.faults
  if (fault) return { ...row, ...invalid(fault, `progress.${fault.field}`) }
  // Entries without a rating have only progress.
  const isOnlyProgress = Object.keys(fields).length === 0
  return { ...row, keys, fields, progress: read.progress, isOnlyProgress }
}
