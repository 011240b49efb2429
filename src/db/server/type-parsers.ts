import pg from 'pg'

/**
 * Parsers that differ from those of pg, keyed by type oid: int8, numeric, date. All int8 values are ids and counts
 * below 2^53. pg would parse a date as local midnight.
 */
const TYPE_PARSERS: Record<number, (text: string) => unknown> = {
  20: Number,
  1700: Number,
  1082: (text) => text,
}

/** Returns the parser of a type, for connections to either engine. */
export const parserOf: typeof pg.types.getTypeParser = (oid, format) =>
  (format === 'binary' ? undefined : TYPE_PARSERS[oid]) ?? pg.types.getTypeParser(oid, format)
