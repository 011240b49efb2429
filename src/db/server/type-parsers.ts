import pg from 'pg'

/**
 * How PostgreSQL's text becomes a value where pg disagrees, by the oids of types: int8, numeric, date. Our int8 are ids and
 * counts, below 2^53; pg reads a date at local midnight.
 */
const TYPE_PARSERS: Record<number, (text: string) => unknown> = {
  20: Number,
  1700: Number,
  1082: (text) => text,
}

/** The parser of a type, for connections to either database. */
export const parserOf: typeof pg.types.getTypeParser = (oid, format) =>
  (format === 'binary' ? undefined : TYPE_PARSERS[oid]) ?? pg.types.getTypeParser(oid, format)
