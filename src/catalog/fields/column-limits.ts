const MAX_INTEGER = 2 ** 31 - 1

/** Returns whether a date column can hold a value: a date that exists, in the form `YYYY-MM-DD`. */
export function isDate(value: unknown): boolean {
  if (typeof value !== 'string' || !/^\d{4}-\d\d-\d\d$/.test(value) || value < '0001') return false
  const date = new Date(`${value}T00:00:00Z`)
  // JavaScript turns a nonexistent date such as 31 February into a different date.
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(value)
}

/** Returns whether a timestamp column can hold a value. */
export function isTime(value: unknown): boolean {
  return typeof value === 'string' && isDate(value.slice(0, 10)) && !Number.isNaN(Date.parse(value))
}

/** Returns a check for integer columns with a range. */
export function isIntegerInRange(minimum: number, maximum = MAX_INTEGER) {
  return (value: unknown) =>
    Number.isInteger(value) && Number(value) >= minimum && Number(value) <= maximum
}

/** Returns a check for numeric columns with two decimals. A value that rounds up to the limit is too large. */
export function isBelow(limit: number) {
  return (value: unknown) => typeof value === 'number' && Math.abs(value) < limit - 0.005
}
