import { isSiteId } from '../../../sources/external-ids.ts'
import type { Status } from '../../fields.ts'
import {
  addRow,
  invalid,
  newListFile,
  remarkIgnoredFields,
  truncateTitle,
  skipped,
  type ListFile,
  type ListRow,
} from './list-row.ts'
import { keepProgress, type ForeignField } from './row-progress.ts'
import { hasContent, readXml, textOf, type XmlElement } from './read-xml.ts'

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
      if (path === LENGTH_VOTE) return addLengthVote(file, novel)
      addRow(file, toRow(file, novel))
      remarkIgnoredFields(file, ignoredFieldsOf(novel))
    },
  })
  return file
}

/** Elements that are imported, and the title, which belongs to the novel. */
const FIELDS = new Set(['title', 'vote', 'started', 'finished', 'notes'])
const VOTE_FIELDS = new Set(['title', 'minutes'])
/** Label that VNDB sets on every novel with a vote. */
const VOTED = '7'
/** Lowest id of labels that users create. */
const FIRST_USER_LABEL = 10

const ignoredFieldsOf = (novel: XmlElement): string[] => {
  const kept = new Set([statusLabelOf(novel)?.[0], BLACKLIST, VOTED])
  return novel.children.flatMap((child) => {
    const { name, attributes } = child
    const { id = '', label = id } = attributes
    if (name === 'label') {
      const isKept = kept.has(id) || Number(id) >= FIRST_USER_LABEL
      return isKept ? [] : [`label: ${label}`]
    }
    if (name === 'vote' && attributes['timestamp'] !== undefined) return ['vote timestamp']
    return FIELDS.has(name) || !hasContent(child) ? [] : [name]
  })
}

/** Returns the label that determines the status. A novel may have several. */
const statusLabelOf = ({ children }: XmlElement) =>
  STATUS_OF_LABEL.find(([id]) =>
    children.some(({ name, attributes }) => name === 'label' && attributes['id'] === id),
  )

/** Adds the time of a length vote to the row of its novel. A vote for a novel that is not on the list is ignored. */
function addLengthVote(file: ListFile, vote: XmlElement): void {
  const id = vote.attributes['id']
  const row = file.rows.find(({ externalId }) => externalId !== null && externalId === id)
  const minutes = Number(textOf(vote, 'minutes') ?? Number.NaN)
  if (!row || !('keys' in row) || !Number.isSafeInteger(minutes))
    return remarkIgnoredFields(file, ['length-votes'])
  remarkIgnoredFields(
    file,
    vote.children.flatMap((child) =>
      VOTE_FIELDS.has(child.name) || !hasContent(child) ? [] : [`length-votes ${child.name}`],
    ),
  )
  row.progress = {
    ...row.progress,
    ...keepProgress(file, 'galgame', [['length-votes', 'minutes', minutes]]),
  }
}

const progressOf = (file: ListFile, novel: XmlElement) => {
  const labels = novel.children.flatMap(({ name, attributes }) =>
    name === 'label' && Number(attributes['id']) >= FIRST_USER_LABEL
      ? [attributes['label'] ?? '']
      : [],
  )
  const texts = [
    ['started', 'started_on'],
    ['finished', 'finished_on'],
    ['notes', 'private_note'],
  ] as const
  return keepProgress(file, 'galgame', [
    ...texts.flatMap(([name, field]): ForeignField[] => {
      const text = textOf(novel, name)
      return text ? [[name, field, text]] : []
    }),
    ...(labels.length > 0 ? ([['label', 'labels', labels]] satisfies ForeignField[]) : []),
  ])
}

function toRow(file: ListFile, novel: XmlElement): ListRow {
  const id = novel.attributes['id'] ?? ''
  const frame = { line: novel.line, title: truncateTitle(textOf(novel, 'title')) }
  if (!isSiteId('vndb', 'galgame', id))
    return { ...frame, externalId: null, ...invalid({ code: 'row.vndb_id' }, 'id') }
  const row = { ...frame, externalId: id }
  const isBlacklisted = novel.children.some(
    ({ name, attributes }) => name === 'label' && attributes['id'] === BLACKLIST,
  )
  if (isBlacklisted) return { ...row, ...skipped({ code: 'blacklisted' }) }

  const status = statusLabelOf(novel)?.[1]
  const vote = textOf(novel, 'vote')
  const progress = progressOf(file, novel)
  const isOnlyProgress = status === undefined && vote === undefined
  if (isOnlyProgress && Object.keys(progress).length === 0)
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
    progress,
    isOnlyProgress,
  }
}

const isPrivate = ({ attributes }: XmlElement) => /^(true|yes)$/.test(attributes['private'] ?? '')

/** Returns the string itself if it is not a number, so that validation rejects it. */
const toNumber = (text: string) => (/^-?\d+(\.\d+)?$/.test(text) ? Number(text) : text)
