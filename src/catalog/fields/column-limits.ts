const MAX_INTEGER = 2 ** 31 - 1

/** Whether a date column can hold a value: `YYYY-MM-DD`, a day that exists. */
export function isDay(value: unknown): boolean {
  if (typeof value !== 'string' || !/^\d{4}-\d\d-\d\d$/.test(value) || value < '0001') return false
  const date = new Date(`${value}T00:00:00Z`)
  // JavaScript turns a day that does not exist, such as 31 February, into another one.
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(value)
}

/** Same for a time. */
export function isTime(value: unknown): boolean {
  return typeof value === 'string' && isDay(value.slice(0, 10)) && !Number.isNaN(Date.parse(value))
}

/** Same for an integer column whose check requires at least `least`. */
export function isIntegerFrom(least: number, most = MAX_INTEGER) {
  return (value: unknown) =>
    Number.isInteger(value) && Number(value) >= least && Number(value) <= most
}

/** Same for a numeric column with two decimals: a value that rounds up to the limit is too large. */
export function isBelow(limit: number) {
  return (value: unknown) => typeof value === 'number' && Math.abs(value) < limit - 0.005
}
