import { isSiteId } from '../../../sources/external-ids.ts'
import type { Status } from '../../fields.ts'
import {
  addRow,
  invalid,
  newListFile,
  remark,
  remarkIgnoredFields,
  truncateTitle,
  skipped,
  type ListFile,
  type ListRow,
} from './list-row.ts'
import { readXml, textOf, type XmlElement } from './read-xml.ts'

/**
 * Predefined labels of VNDB (https://api.vndb.org/kana). The first match wins, so a novel that is being played again
 * counts as being played. Labels with other ids are user-defined.
 */
const STATUS_OF_LABEL: readonly [label: string, status: Status][] = [
  ['1', 'GOING'],
  ['2', 'COMPLETED'],
  ['4', 'DROPPED'],
  ['3', 'ON_HOLD'],
  ['5', 'PLAN'],
]
const BLACKLIST = '6'
const LENGTH_VOTE = 'length-votes/vn'

/**
 * Reads VNDB's list export, version 1.0, from `https://vndb.org/u…/list-export/xml`. Format:
 * https://code.blicky.net/yorhel/vndb/src/branch/master/lib/VNWeb/ULists/Export.pm
 *
 * @throws {ApiError} `COMMON_VALIDATION_FAILED` if the file has another format
 */
export async function readVndbList(bytes: Buffer): Promise<ListFile> {
  const file = newListFile()
  await readXml(bytes, {
    root: 'vndb-export',
    paths: ['vns/vn', LENGTH_VOTE],
    onElement(novel, path) {
      if (path === LENGTH_VOTE) return remarkIgnoredFields(file, ['length-votes'])
      addRow(file, toRow(novel))
      remarkIgnoredFields(file, ignoredFieldsOf(novel))
      if (textOf(novel, 'notes')) remark(file, { code: 'vndb_notes' })
    },
  })
  return file
}

const IGNORED_FIELDS = new Set(['started', 'finished', 'release', 'added', 'modified'])
/** Lowest id of labels that users create. */
const FIRST_USER_LABEL = 10

const ignoredFieldsOf = ({ children }: XmlElement): string[] =>
  children.flatMap(({ name, attributes }) =>
    IGNORED_FIELDS.has(name) || (name === 'label' && Number(attributes['id']) >= FIRST_USER_LABEL)
      ? [name]
      : [],
  )

function toRow(novel: XmlElement): ListRow {
  const id = novel.attributes['id'] ?? ''
  const labels = new Set(
    novel.children.filter(({ name }) => name === 'label').map((label) => label.attributes['id']),
  )
  const frame = { line: novel.line, title: truncateTitle(textOf(novel, 'title')) }
  if (!isSiteId('vndb', 'galgame', id))
    return { ...frame, externalId: null, ...invalid({ code: 'row.vndb_id' }, 'id') }
  const row = { ...frame, externalId: id }
  if (labels.has(BLACKLIST)) return { ...row, ...skipped({ code: 'blacklisted' }) }

  const status = STATUS_OF_LABEL.find(([label]) => labels.has(label))?.[1]
  const vote = textOf(novel, 'vote')
  if (status === undefined && vote === undefined)
    return { ...row, ...skipped({ code: 'no_status' }) }
  return {
    ...row,
    keys: [{ source: 'vndb', kind: 'galgame', external_id: id }],
    fields: {
      ...(status && { status }),
      ...(vote && { rate: toNumber(vote) }),
      // A novel that is public at VNDB does not make a private rating public.
      ...(isPrivate(novel) && { status_private: true }),
    },
    // A vote without a label means that the novel was played.
    onCreation: { status: 'COMPLETED' },
  }
}

const isPrivate = ({ attributes }: XmlElement) => /^(true|yes)$/.test(attributes['private'] ?? '')

/** Returns the string itself if it is not a number, so that validation rejects it. */
const toNumber = (text: string) => (/^\d+(\.\d+)?$/.test(text) ? Number(text) : text)
