import type { WorkKind } from '../../../catalog/kinds.ts'
import type { Status } from '../../fields.ts'
import {
  addRow,
  invalid,
  newListFile,
  notAnObject,
  remark,
  remarkIgnoredFields,
  truncateTitle,
  skipped,
  type ListFile,
  type ListRow,
} from './list-row.ts'
import { fileFault } from '../../../http/wire/errors/feature-refusals.ts'
import { keepProgress, type ForeignField } from './row-progress.ts'
import { readJson } from './read-json.ts'
import { isJsonObject } from '../../../kernel/is-json-object.ts'

/** https://github.com/bangumi/server/blob/master/openapi/components/subject_collection_type.yaml */
const STATUS: ReadonlyMap<unknown, Status> = new Map([
  [1, 'PLAN'],
  [2, 'COMPLETED'],
  [3, 'GOING'],
  [4, 'ON_HOLD'],
  [5, 'DROPPED'],
])

/** https://github.com/bangumi/server/blob/master/openapi/components/subject_type.yaml */
const KINDS: ReadonlyMap<unknown, WorkKind[]> = new Map([
  [1, ['light_novel', 'manga']],
  [4, ['galgame']],
])
const UNSUPPORTED_KINDS: ReadonlyMap<unknown, string> = new Map([
  [2, 'anime'],
  [3, 'music'],
  [6, 'films and series'],
])

/**
 * Reads a user's collections at Bangumi, as `GET https://api.bgm.tv/v0/users/{name}/collections` returns them: one page,
 * a list of pages, or the items of all pages in one list.
 * https://github.com/bangumi/server/blob/master/openapi/components/user_subject_collection.yaml
 *
 * @throws {ApiError} `COMMON_VALIDATION_FAILED` if the file has another format
 */
export async function readBangumiList(bytes: Buffer): Promise<ListFile> {
  const file = newListFile()
  let total = 0
  const readTotal = (page: Record<string, unknown>) =>
    (total = Math.max(total, Number(page['total'] ?? 0) || 0))
  const { frame, hasList } = await readJson(bytes, {
    lists: [[], ['data']],
    onEntry(part) {
      const page = isJsonObject(part) && Array.isArray(part['data']) ? part : undefined
      if (page) readTotal(page)
      // as: checked above
      const items = page ? (page['data'] as unknown[]) : [part]
      for (const item of items) {
        const row = toRow(file, item)
        addRow(file, row)
        if ('keys' in row && isJsonObject(item)) remarkIgnoredFields(file, ignoredFieldsOf(item))
      }
    },
  })
  if (!hasList) throw fileFault('file.not_bangumi')
  if (isJsonObject(frame)) readTotal(frame)
  if (total > file.rows.length)
    remark(file, { code: 'other_pages', params: { rows: file.rows.length, total } })
  return file
}

/** Fields that are imported, and facts about the work. */
const FIELDS = new Set([
  'subject_id',
  'subject_type',
  'subject',
  'type',
  'rate',
  'comment',
  'private',
  'tags',
  'vol_status',
  'ep_status',
])

const ignoredFieldsOf = (item: Record<string, unknown>): string[] =>
  Object.entries(item).flatMap(([name, value]) =>
    FIELDS.has(name) || value === null || value === '' || isEmptyArray(value) ? [] : [name],
  )

const isEmptyArray = (value: unknown) => Array.isArray(value) && value.length === 0

const progressOf = (
  file: ListFile,
  kind: WorkKind,
  { tags, vol_status, ep_status }: Record<string, unknown>,
) => {
  const fields: ForeignField[] = [
    ['tags', 'labels', Array.isArray(tags) ? tags : []],
    ['vol_status', 'volumes_read', vol_status ?? 0],
    ['ep_status', 'chapters_read', ep_status ?? 0],
  ]
  return keepProgress(
    file,
    kind,
    fields.filter(([, , value]) => (Array.isArray(value) ? value.length > 0 : value !== 0)),
  )
}

function toRow(file: ListFile, item: unknown): ListRow {
  if (!isJsonObject(item)) return notAnObject
  const { subject_id, subject_type, type, rate, comment, private: hidden, subject } = item
  const names = isJsonObject(subject) ? [subject['name_cn'], subject['name']] : []
  const title = truncateTitle(names.find((name) => typeof name === 'string' && name !== ''))
  if (!Number.isSafeInteger(subject_id) || Number(subject_id) < 1)
    return { externalId: null, title, ...invalid({ code: 'row.bangumi_id' }, 'subject_id') }
  const row = { externalId: String(subject_id), title }

  const other = UNSUPPORTED_KINDS.get(subject_type)
  if (other) return { ...row, ...skipped({ code: 'other_kind', params: { kind: other } }) }
  const kinds = KINDS.get(subject_type)
  if (!kinds) return { ...row, ...invalid({ code: 'row.bangumi_type' }, 'subject_type') }
  const status = STATUS.get(type)
  if (!status) return { ...row, ...invalid({ code: 'row.bangumi_status' }, 'type') }
  return {
    ...row,
    progress: progressOf(file, kinds[0] ?? 'manga', item),
    keys: kinds.map((kind) => ({ source: 'bangumi', kind, external_id: row.externalId })),
    fields: {
      status,
      // A rate of 0 means no score. An empty comment does not clear a review, and a public item does not make a rating
      // public.
      ...(rate !== 0 && rate !== undefined && { rate }),
      ...(comment !== '' && comment !== undefined && comment !== null && { rate_content: comment }),
      ...(hidden !== false && hidden !== undefined && { status_private: hidden }),
    },
  }
}
