import { setImmediate } from 'node:timers/promises'
import { stringify } from 'csv-stringify/sync'
import { ENVELOPE_PREFIX, envelopeEnd } from '../../http/wire/errors/envelope.ts'
import { RECORD_ID_SITES } from '../../sources/registry.ts'
import { ALL_SUB_SCORES, RATING_FIELDS, type RatingField } from '../fields.ts'
import { toExportedRating } from '../own/rating-response.ts'
import type { ExportedRating } from './export-queries.ts'

type Batches = AsyncIterable<ExportedRating[]>

type JsonOptions = {
  exportedAt: Date
  requestId: string
  /** Rewrites the picture URLs in JSON text. By default, keeps the sources' URLs. */
  withPictures?: (json: string) => string
}

/** Writes ratings as JSON in the envelope of the API. */
export async function* toJson(
  batches: Batches,
  { exportedAt, requestId, withPictures = (json) => json }: JsonOptions,
): AsyncGenerator<string> {
  yield `${ENVELOPE_PREFIX}{"exported_at":"${exportedAt.toISOString()}","ratings":[`
  let separator = ''
  for await (const batch of batches) {
    const ratings = batch.map((rating) => JSON.stringify(toExportedRating(rating)))
    yield separator + withPictures(ratings.join(','))
    separator = ','
  }
  yield `]}${envelopeEnd(requestId)}`
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
]

/** Without a byte order mark, most spreadsheets assume a legacy encoding. */
const BYTE_ORDER_MARK = '\uFEFF'

/** Number of lines written between two turns of the event loop. A long review takes a millisecond. */
const LINES_PER_TURN = 25

/**
 * Writes ratings as one table with a header (RFC 4180). Fields that a kind of work does not have are empty. Text that
 * a spreadsheet would execute as a formula is prefixed with `'`.
 */
export async function* toCsv(batches: Batches): AsyncGenerator<string> {
  yield BYTE_ORDER_MARK + toLines([COLUMNS])
  for await (const batch of batches)
    for (let from = 0; from < batch.length; from += LINES_PER_TURN) {
      yield toLines(batch.slice(from, from + LINES_PER_TURN).map(toCells))
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
    cast: { boolean: String, string: escapeFormula },
  })

/** Escapes formulas after white space, which spreadsheets execute and `escape_formulas` ignores. */
const escapeFormula = (text: string) =>
  /^[\n ]\s*[=+\-@\uFF0B\uFF0D\uFF1D\uFF20]/.test(text) ? `'${text}` : text
