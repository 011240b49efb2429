import type { Source } from '../record.ts'
import type { Shrink } from './shrink.ts'
import { tablesBehind } from './tables-behind.ts'

/** An import that would take away more than may go unasked; nothing was changed. */
export class ShrinkError extends Error {
  override name = 'ShrinkError'
  readonly shrinks: Shrink[]

  constructor(source: Source, shrinks: Shrink[]) {
    const losses = shrinks.map(({ what, lost, before }) => {
      const tables = tablesBehind(source, what)
      const origin = tables.length > 0 ? ` (from ${tables.join(', ')})` : ''
      return `${lost} of ${before} of ${what}${origin}`
    })
    super(
      `Nothing was imported, as it would take away ${losses.join(', ')}. Look whether the dump is whole: ` +
        `of one that is a part, add --part; if it is meant to be so, --allow-shrink ${shrinks.map(({ what }) => what).join(',')}`,
    )
    this.shrinks = shrinks
  }
}
