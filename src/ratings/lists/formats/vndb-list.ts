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
 * Labels with a meaning of their own (https://api.vndb.org/kana), the first that a novel has counts:
 * whoever plays it again plays it. Other labels are the reader's own words.
 */
const STATUS_OF_LABEL: readonly [label: string, status: Status][] = [
  ['1', 'GOING'],
  ['2', 'COMPLETED'],
  ['4', 'DROPPED'],
  ['3', 'ON_HOLD'],
  ['5', 'PLAN'],
]
const BLACKLIST = '6'
/** Path of a play time. The element within that holds it was `hours` and is `minutes`. */
const LENGTH_VOTE = 'length-votes/vn'

/**
 * The rows of VNDB's list export, version 1.0: `https://vndb.org/u…/list-export/xml`, as it is written by
 * https://code.blicky.net/yorhel/vndb/src/branch/master/lib/VNWeb/ULists/Export.pm
 *
 * @throws {ApiError} `COMMON_VALIDATION_FAILED` when it is no such file
 */
export async function readVndbList(bytes: Buffer): Promise<ListFile> {
  const file = newListFile()
  await readXml(bytes, {
    root: 'vndb-export',
    paths: ['vns/vn', LENGTH_VOTE],
    take(novel, path) {
      if (path === LENGTH_VOTE) return remarkIgnoredFields(file, ['length-votes'])
      addRow(file, toRow(novel))
      remarkIgnoredFields(file, droppedOf(novel))
      if (textOf(novel, 'notes')) remark(file, { code: 'vndb_notes' })
    },
  })
  return file
}

const DROPPED = new Set(['started', 'finished', 'release', 'added', 'modified'])
/** Labels with an id below this are VNDB's own. */
const FIRST_OWN_LABEL = 10

const droppedOf = ({ children }: XmlElement): string[] =>
  children.flatMap(({ name, attributes }) =>
    DROPPED.has(name) || (name === 'label' && Number(attributes['id']) >= FIRST_OWN_LABEL)
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
      // That a novel is not private at VNDB is no wish to show here what is private.
      ...(isPrivate(novel) && { status_private: true }),
    },
    // A vote without a label is of a novel that was played.
    onCreation: { status: 'COMPLETED' },
  }
}

const isPrivate = ({ attributes }: XmlElement) => /^(true|yes)$/.test(attributes['private'] ?? '')

/** @returns the text itself when it is no number, for the rules to refuse */
const toNumber = (text: string) => (/^\d+(\.\d+)?$/.test(text) ? Number(text) : text)
