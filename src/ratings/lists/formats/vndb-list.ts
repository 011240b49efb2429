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
      if (path === LENGTH_VOTE) return addLengthVote(file, novel)
      addRow(file, toRow(file, novel))
      remarkIgnoredFields(file, ignoredFieldsOf(novel))
    },
  })
  return file
}

/** Facts about releases and times of edits, which this service does not store. */
const IGNORED_FIELDS = new Set(['release', 'added', 'modified'])
/** Facts about a length vote other than its time. */
const IGNORED_VOTE_FIELDS = new Set(['date', 'speed', 'notes', 'release'])
/** Lowest id of labels that users create. */
const FIRST_USER_LABEL = 10

const ignoredFieldsOf = ({ children }: XmlElement): string[] =>
  children.flatMap(({ name, attributes }) =>
    IGNORED_FIELDS.has(name)
      ? [name]
      : name === 'vote' && attributes['timestamp'] !== undefined
        ? ['vote timestamp']
        : [],
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
    vote.children.flatMap(({ name }) =>
      IGNORED_VOTE_FIELDS.has(name) ? [`length-votes ${name}`] : [],
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
