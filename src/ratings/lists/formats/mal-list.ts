import { isSiteId } from '../../../sources/external-ids.ts'
import type { Status } from '../../fields.ts'
import {
  addRow,
  invalid,
  newListFile,
  remarkIgnoredFields,
  truncateTitle,
  type ListFile,
  type ListRow,
} from './list-row.ts'
import { fileFault } from '../../../http/wire/errors/feature-refusals.ts'
import { enumFault } from '../../../http/wire/errors/refusals.ts'
import type { ProgressField } from '../../progress/fields.ts'
import { keepProgress, type ForeignField } from './row-progress.ts'
import { hasContent, readXml, textOf, type XmlElement } from './read-xml.ts'

/** Statuses, keyed by name and by the number that older exports and other programs write instead. */
const STATUS: ReadonlyMap<string, Status> = new Map([
  ['reading', 'GOING'],
  ['1', 'GOING'],
  ['completed', 'COMPLETED'],
  ['2', 'COMPLETED'],
  ['on-hold', 'ON_HOLD'],
  ['3', 'ON_HOLD'],
  ['dropped', 'DROPPED'],
  ['4', 'DROPPED'],
  ['plan to read', 'PLAN'],
  ['6', 'PLAN'],
])

/**
 * Reads MyAnimeList's export of a manga list, which includes light novels: https://myanimelist.net/panel.php?go=export
 *
 * The format is undocumented. This module reads the elements on which programs that write the format agree, such as
 * https://github.com/mat8913/myanimelist-export and https://github.com/nutzboi/MAL-Exporter
 *
 * @throws {ApiError} `COMMON_VALIDATION_FAILED` if the file has another format
 */
export async function readMalList(bytes: Buffer): Promise<ListFile> {
  const file = newListFile()
  await readXml(bytes, {
    root: 'myanimelist',
    paths: ['manga', 'anime'],
    onElement(entry) {
      if (entry.name === 'anime') throw fileFault('file.anime')
      addRow(file, toRow(file, entry))
      remarkIgnoredFields(file, ignoredFieldsOf(entry))
    },
  })
  return file
}

/** Elements that are imported, facts about the work, and an instruction to MyAnimeList. */
const FIELDS = new Set([
  'manga_mangadb_id',
  'manga_title',
  'manga_volumes',
  'manga_chapters',
  'my_read_volumes',
  'my_read_chapters',
  'my_start_date',
  'my_finish_date',
  'my_score',
  'my_status',
  'my_comments',
  'my_times_read',
  'my_tags',
  'update_on_import',
])

/** Values that stand for an empty field, or for the default of a setting. */
const BLANK: ReadonlyMap<string, string> = new Map([
  ['my_id', '0'],
  ['my_discuss', 'YES'],
  ['my_sns', 'default'],
  ['my_rereading', 'NO'],
  ['my_priority', 'Low'],
  ['my_retail_volumes', '0'],
])

const ignoredFieldsOf = ({ children }: XmlElement): string[] =>
  children.flatMap((child) => {
    const { name, text } = child
    return FIELDS.has(name) || !hasContent(child) || text.trim() === BLANK.get(name) ? [] : [name]
  })

/** `2020-05-00` is a month and `2020-00-00` a year. */
const partialDate = (text: string) => text.replace(/(?:-00){1,2}$/, '')

function progressOf(file: ListFile, entry: XmlElement, isCompleted: boolean) {
  const times = Number(textOf(entry, 'my_times_read') ?? 0)
  // The file counts rereads only, not the first reading.
  const timesFinished = times > 0 && isCompleted ? times + 1 : times
  const sent: [name: string, field: ProgressField, toValue: (text: string) => unknown][] = [
    ['my_start_date', 'started_on', partialDate],
    ['my_finish_date', 'finished_on', partialDate],
    ['my_read_volumes', 'volumes_read', Number],
    ['my_read_chapters', 'chapters_read', Number],
    ['my_times_read', 'times_finished', () => timesFinished],
    ['my_comments', 'private_note', String],
    ['my_tags', 'labels', (text) => text.split(',').filter((tag) => tag.trim() !== '')],
  ]
  return keepProgress(
    file,
    'manga',
    sent.flatMap(([name, field, toValue]): ForeignField[] => {
      const text = textOf(entry, name)
      return text && text !== '0' && text !== '0000-00-00' ? [[name, field, toValue(text)]] : []
    }),
  )
}

function toRow(file: ListFile, entry: XmlElement): ListRow {
  const id = textOf(entry, 'manga_mangadb_id') ?? ''
  const frame = { line: entry.line, title: truncateTitle(textOf(entry, 'manga_title')) }
  if (!isSiteId('mal', 'manga', id))
    return { ...frame, externalId: null, ...invalid({ code: 'row.mal_id' }, 'manga_mangadb_id') }
  const row = { ...frame, externalId: id }
  const word = textOf(entry, 'my_status')
  const status = STATUS.get(word?.toLowerCase() ?? '')
  if (word !== undefined && !status)
    return {
      ...row,
      ...invalid(
        enumFault(['Reading', 'Completed', 'On-Hold', 'Dropped', 'Plan to Read']),
        'my_status',
      ),
    }
  const score = textOf(entry, 'my_score') ?? '0'
  return {
    ...row,
    keys: [
      { source: 'mal', kind: 'light_novel', external_id: id },
      { source: 'mal', kind: 'manga', external_id: id },
    ],
    fields: {
      ...(status && { status }),
      // 0 means no score.
      ...(score !== '0' && { rate: /^-?\d+(\.\d+)?$/.test(score) ? Number(score) : score }),
    },
    progress: progressOf(file, entry, status === 'COMPLETED'),
  }
}
