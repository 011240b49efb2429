import type { ListRow } from '../formats/list-row.ts'

/** Works that a reader has chosen by hand, by the number of the row in the file, from 1. */
export type ChosenWorks = ReadonlyMap<number, number>

/** Rows of one file: as many as an address can name. */
export const MAX_CHOSEN = 500

const ONE = '[1-9]\\d{0,5}:[1-9]\\d{0,14}'

/** `9:42,12:7`: row 9 is of the work 42, row 12 of 7. */
export const CHOSEN_WORKS_PATTERN = `^${ONE}(,${ONE}){0,${MAX_CHOSEN - 1}}$`

/** What the parameter `match` says, which matches `CHOSEN_WORKS`; of a row the last counts. */
export const parseChosenWorks = (text: string | undefined): ChosenWorks =>
  new Map(
    (text?.split(',') ?? []).map((pair) => {
      const [row, work] = pair.split(':')
      return [Number(row), Number(work)]
    }),
  )

/**
 * The rows, of which those that were chosen for are of the chosen works whatever their ids say. A row can be of the kinds that
 * its source has there, and of no other.
 */
export function withChosenWorks(rows: ListRow[], chosen: ChosenWorks): ListRow[] {
  if (chosen.size === 0) return rows
  return rows.map((row, place) => {
    const work_id = chosen.get(place + 1)
    if (work_id === undefined || !('keys' in row)) return row
    return { ...row, keys: possibleKinds(row).map((kind) => ({ kind, work_id })) }
  })
}

/** The kinds of works that a row may be of; none when nothing of it can be used. */
export const possibleKinds = (row: ListRow) =>
  'keys' in row ? [...new Set(row.keys.map(({ kind }) => kind))] : []
