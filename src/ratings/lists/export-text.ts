import { setImmediate } from 'node:timers/promises'
import { stringify } from 'csv-stringify/sync'
import { ENVELOPE_START, envelopeEnd } from '../../http/wire/errors/envelope.ts'
import { RECORD_ID_SITES } from '../../sources/registry.ts'
import { ALL_SUB_SCORES, RATING_FIELDS, type RatingField } from '../fields.ts'
import { toExportedRating } from '../own/rating-response.ts'
import type { ExportedRating } from './export-queries.ts'

type Batches = AsyncIterable<ExportedRating[]>

type JsonOptions = {
  exportedAt: Date
  requestId: string
  /** Rewrites the picture URLs in a JSON text; without it, they stay the sources'. */
  withPictures?: (json: string) => string
}

/** The records as JSON, in the envelope. */
export async function* toJson(
  batches: Batches,
  { exportedAt, requestId, withPictures = (json) => json }: JsonOptions,
): AsyncGenerator<string> {
  yield `${ENVELOPE_START}{"exported_at":"${exportedAt.toISOString()}","ratings":[`
  let separator = ''
  for await (const batch of batches) {
    const records = batch.map((rating) =>
      JSON.stringify({ ...toExportedRating(rating), external_ids: rating.external_ids }),
    )
    yield separator + withPictures(records.join(','))
    separator = ','
  }
  yield `]}${envelopeEnd(requestId)}`
}

/** What reads best in a table comes first: the text of a review is long. */
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
]

/** It is for spreadsheets, most of which take a file without this mark for one in an old encoding. */
const BYTE_ORDER_MARK = '\uFEFF'

/** Written in one go, between which others get their turn: long reviews take a millisecond each. */
const LINES = 25

/**
 * The records as one table (RFC 4180), after a header; what a kind of works does not have is empty. A text that a
 * spreadsheet would take for a formula begins with `'`.
 */
export async function* toCsv(batches: Batches): AsyncGenerator<string> {
  yield BYTE_ORDER_MARK + toLines([COLUMNS])
  for await (const batch of batches)
    for (let from = 0; from < batch.length; from += LINES) {
      yield toLines(batch.slice(from, from + LINES).map(toCells))
      await setImmediate()
    }
}

function toCells(rating: ExportedRating): unknown[] {
  const cells: Partial<Record<string, unknown>> = {
    ...rating.external_ids,
    ...toExportedRating(rating),
    name: rating.work.name,
    trans_name: rating.work.trans_name,
  }
  return COLUMNS.map((column) => cells[column])
}

const toLines = (rows: unknown[][]) =>
  stringify(rows, {
    record_delimiter: 'windows',
    quote_record_delimiter: true,
    escape_formulas: true,
    cast: { boolean: String, string: disarm },
  })

/** What the library leaves armed: spreadsheets look for the formula behind white space, too. */
const disarm = (text: string) =>
  /^[\n ]\s*[=+\-@\uFF0B\uFF0D\uFF1D\uFF20]/.test(text) ? `'${text}` : text
