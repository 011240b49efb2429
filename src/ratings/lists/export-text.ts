import { setImmediate } from 'node:timers/promises'
import { stringify } from 'csv-stringify/sync'
import { ENVELOPE_PREFIX, envelopeEnd } from '../../http/wire/errors/envelope.ts'
import { RECORD_ID_SITES } from '../../sources/registry.ts'
import { ALL_SUB_SCORES, RATING_FIELDS, type RatingField } from '../fields.ts'
import { toExportedProgress, toExportedRating } from '../own/rating-response.ts'
import { PROGRESS_FIELDS } from '../progress/fields.ts'
import type { ExportedList, ExportedProgress, ExportedRating } from './export-queries.ts'

type JsonOptions = {
  exportedAt: Date
  requestId: string
  /** Rewrites the picture URLs in JSON text. By default, keeps the sources' URLs. */
  withPictures?: (json: string) => string
}

/** Writes a list as JSON in the envelope of the API. */
export async function* toJson(
  { ratings, progress }: ExportedList,
  { exportedAt, requestId, withPictures = (json) => json }: JsonOptions,
): AsyncGenerator<string> {
  yield `${ENVELOPE_PREFIX}{"exported_at":"${exportedAt.toISOString()}","ratings":[`
  yield* joinBatches(ratings, toExportedRating, withPictures)
  yield '],"progress":['
  yield* joinBatches(progress, toExportedProgress, withPictures)
  yield `]}${envelopeEnd(requestId)}`
}

async function* joinBatches<Item>(
  batches: AsyncIterable<Item[]>,
  toEntry: (item: Item) => unknown,
  withPictures: (json: string) => string,
): AsyncGenerator<string> {
  let separator = ''
  for await (const batch of batches) {
    const entries = batch.map((item) => JSON.stringify(toEntry(item)))
    yield separator + withPictures(entries.join(','))
    separator = ','
  }
}

/** First columns of the table. The review is the last of them, because it can be long. */
const FIRST_FIELDS: RatingField[] = [
  'status',
  'status_private',
  'rate',
  ...ALL_SUB_SCORES,
  'time_to_finish_minutes',
  'rate_content',
]

const COLUMNS = [
  'work_type',
  'work_id',
  'name',
  'trans_name',
  ...RECORD_ID_SITES,
  ...new Set([...FIRST_FIELDS, ...RATING_FIELDS]),
  'like_count',
  'dislike_count',
  'created_at',
  'updated_at',
  ...PROGRESS_FIELDS,
]

/** Without a byte order mark, most spreadsheets assume a legacy encoding. */
const BYTE_ORDER_MARK = '\uFEFF'

/** Number of lines written between two turns of the event loop. A long review takes a millisecond. */
const LINES_PER_TURN = 25

/**
 * Writes a list as one table with a header (RFC 4180). Fields that a kind of work or a row does not have are empty. Text that
 * a spreadsheet would execute as a formula is prefixed with `'`.
 */
export async function* toCsv({ ratings, progress }: ExportedList): AsyncGenerator<string> {
  yield BYTE_ORDER_MARK + toLines([COLUMNS])
  yield* writeLines(ratings, toExportedRating)
  yield* writeLines(progress, toExportedProgress)
}

type Exported = ExportedRating | ExportedProgress

async function* writeLines<Item extends Exported>(
  batches: AsyncIterable<Item[]>,
  toEntry: (item: Item) => object,
): AsyncGenerator<string> {
  for await (const batch of batches)
    for (let from = 0; from < batch.length; from += LINES_PER_TURN) {
      const rows = batch.slice(from, from + LINES_PER_TURN)
      yield toLines(rows.map((item) => toCells(item, toEntry(item))))
      await setImmediate()
    }
}

/** Rereads are written as JSON, and labels one per line. */
function toCells({ external_ids, work, progress }: Exported, entry: object): unknown[] {
  const cells: Partial<Record<string, unknown>> = {
    ...external_ids,
    ...entry,
    name: work.name,
    trans_name: work.trans_name,
    ...progress,
    ...(progress?.labels && { labels: progress.labels.join('\n') }),
    ...(progress?.rereads && {
      rereads: progress.rereads.length > 0 ? JSON.stringify(progress.rereads) : '',
    }),
  }
  return COLUMNS.map((column) => cells[column])
}

const toLines = (rows: unknown[][]) =>
  stringify(rows, {
    record_delimiter: 'windows',
    quote_record_delimiter: true,
    escape_formulas: true,
    cast: { boolean: String, string: escapeFormula },
  })

/** Escapes formulas after white space, which spreadsheets execute and `escape_formulas` ignores. */
const escapeFormula = (text: string) =>
  /^[\n ]\s*[=+\-@\uFF0B\uFF0D\uFF1D\uFF20]/.test(text) ? `'${text}` : text
