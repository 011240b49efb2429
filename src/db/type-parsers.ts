/**
 * How PostgreSQL's text becomes a value, the same on both engines (by themselves they disagree, and pg reads a date
 * at local midnight). Keys are type oids: int8, numeric, date. Our int8 are ids and counts, below 2^53.
 */
export const TYPE_PARSERS: Record<number, (text: string) => unknown> = {
  20: Number,
  1700: Number,
  1082: (text) => text,
}
