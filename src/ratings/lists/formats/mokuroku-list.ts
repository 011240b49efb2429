import { kindOfWorkType, WORK_TYPES } from '../../../catalog/work-types.ts'
import {
  addRow,
  invalid,
  newListFile,
  truncateTitle,
  type ListFile,
  type ListRow,
  type LookupKey,
} from './list-row.ts'
import { fileFault } from '../../../http/wire/errors/feature-refusals.ts'
import { enumFault } from '../../../http/wire/errors/refusals.ts'
import { readJson } from './read-json.ts'
import { isJsonObject } from '../../../kernel/is-json-object.ts'

/** Ids of one work. */
const MAX_IDS = 20

/** Maximum fields per record: ours has fewer than 30, and each unknown one costs a validation. */
const MAX_FIELDS = 50

/** An id at a source that the database can be asked for. */
const EXTERNAL_ID = /^[^\p{Cc}\p{Cs}]{1,200}$/u

/**
 * The rows of our own export: the whole answer, its `data`, or the list of records alone. A work is found by its ids at
 * the sources, which are the same in every installation; by its id here only when the record has none of those.
 *
 * @throws {ApiError} `COMMON_VALIDATION_FAILED` when it is no such file
 */
export async function readMokurokuList(bytes: Buffer): Promise<ListFile> {
  const file = newListFile()
  const { hasList } = await readJson(bytes, {
    lists: [[], ['ratings'], ['data', 'ratings']],
    take: (record) => addRow(file, toRow(record)),
  })
  if (!hasList) throw fileFault('file.not_own')
  return file
}

function toRow(record: unknown): ListRow {
  if (!isJsonObject(record))
    return {
      externalId: null,
      title: '',
      ...invalid({ code: 'schema.type', params: { type: 'object' } }),
    }
  if (Object.keys(record).length > MAX_FIELDS)
    return {
      externalId: null,
      title: '',
      ...invalid({ code: 'schema.max_fields', params: { limit: MAX_FIELDS } }),
    }
  const { work_type, work_id, work, external_ids, ...fields } = record
  const hasId = Number.isSafeInteger(work_id) && Number(work_id) > 0
  const row = {
    externalId: hasId ? String(work_id) : null,
    title: truncateTitle(isJsonObject(work) ? work['name'] : undefined),
  }
  // Exports were in lower case before.
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
  return { ...row, keys, fields }
}
