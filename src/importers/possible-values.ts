/** What the columns of fields that are neither text nor lists can hold, by the name of the field. */
const POSSIBLE: ReadonlyMap<string, (value: unknown) => boolean> = new Map(
  Object.entries({
    release_date: isDay,
    publication_date: isDay,
    publication_end_date: isDay,
    established: isDay,
    created_at: isTime,
    updated_at: isTime,
    revised_at: isTime,
    latest_chapter_at: isTime,
    total_volumes: within(0, 2 ** 31 - 1),
    pages: within(1, 2 ** 31 - 1),
    page_count: within(1, 2 ** 31 - 1),
    age: within(-(2 ** 31), 2 ** 31 - 1),
    birthday_month: within(1, 12),
    birthday_day: within(1, 31),
    volume_number: below(1e6),
    height: below(1e6),
    weight: below(1e6),
    bust: below(1e6),
    waist: below(1e6),
    hips: below(1e6),
    price_amount: below(1e10),
  }),
)

/** The names of the fields whose columns cannot hold what they say. */
export const impossibleFields = (fields: Record<string, unknown>): string[] =>
  Object.entries(fields).flatMap(([name, value]) => (POSSIBLE.get(name)?.(value) === false ? [name] : []))

function isDay(value: unknown): boolean {
  if (typeof value !== 'string' || !/^\d{4}-\d\d-\d\d$/.test(value) || value < '0001') return false
  const date = new Date(`${value}T00:00:00Z`)
  // One that there is not, such as the 31st of February, is read as another.
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(value)
}

function isTime(value: unknown): boolean {
  return typeof value === 'string' && isDay(value.slice(0, 10)) && !Number.isNaN(Date.parse(value))
}

function within(least: number, most: number) {
  return (value: unknown) => Number.isInteger(value) && Number(value) >= least && Number(value) <= most
}

/** Two decimals are kept, so what rounds up to the limit is too much. */
function below(limit: number) {
  return (value: unknown) => typeof value === 'number' && Math.abs(value) < limit - 0.005
}
