import type { ListRow } from '../formats/list-row.ts'

/** Works that the user has assigned by hand, keyed by row number, starting at 1. */
type ChosenWorks = ReadonlyMap<number, number>

/** Maximum number of assigned rows. The length of a URL limits it. */
export const MAX_CHOSEN = 500

const PAIR = '[1-9]\\d{0,5}:[1-9]\\d{0,14}'

/** Format of `match`: `9:42,12:7` assigns row 9 to work 42 and row 12 to work 7. */
export const CHOSEN_WORKS_PATTERN = `^${PAIR}(,${PAIR}){0,${MAX_CHOSEN - 1}}$`

/** Parses `match`. If a row is assigned several times, the last assignment wins. */
export const parseChosenWorks = (text: string | undefined): ChosenWorks =>
  new Map(
    (text?.split(',') ?? []).map((pair) => {
      const [row, work] = pair.split(':')
      return [Number(row), Number(work)]
    }),
  )

/** Applies the user's assignments to rows. A work must be of a kind that its row can refer to. */
export function withChosenWorks(rows: ListRow[], chosen: ChosenWorks): ListRow[] {
  if (chosen.size === 0) return rows
  return rows.map((row, index) => {
    const work_id = chosen.get(index + 1)
    if (work_id === undefined || !('keys' in row)) return row
    return { ...row, keys: possibleKinds(row).map((kind) => ({ kind, work_id })) }
  })
}

/** Returns the kinds of works that a row can refer to; none for a rejected row. */
export const possibleKinds = (row: ListRow) =>
  'keys' in row ? [...new Set(row.keys.map(({ kind }) => kind))] : []
