import { ApiError } from '../../http/wire/errors.ts'
import { validationError } from '../../http/wire/validation.ts'
import { MAX_ROWS, type ListFile, type ListRow } from './list-row.ts'

/** Of a message of a parser, which may repeat what the file says. */
const MAX_MESSAGE = 200

/** The refusal of a file that cannot be read, saying what is wrong with it and where. */
export const fileFault = (message: string): ApiError =>
  validationError([{ field: 'body', message: message.slice(0, MAX_MESSAGE).toWellFormed(), code: 'file' }])

/** Adds a row. @throws {ApiError} `COMMON_VALIDATION_FAILED` when there are too many */
export function addRow({ rows }: ListFile, row: ListRow) {
  if (rows.length >= MAX_ROWS) throw fileFault(`has more than ${MAX_ROWS} rows: import it in parts`)
  rows.push(row)
}

/** Characters of a file. @throws {ApiError} `COMMON_VALIDATION_FAILED` when its bytes are not UTF-8 */
export function decodeUtf8(decoder: TextDecoder, bytes: Uint8Array | undefined, isLast: boolean): string {
  try {
    return decoder.decode(bytes, { stream: !isLast })
  } catch {
    throw fileFault('is not UTF-8 text')
  }
}

export const utf8Decoder = () => new TextDecoder('utf-8', { fatal: true })
