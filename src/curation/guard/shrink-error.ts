import type { Source } from '../../sources/records/record.ts'
import type { Shrink } from './shrink.ts'
import { DUMP_SOURCES } from '../sources.ts'

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
    // A part withdraws no entry, but loses values and items of lists like any other dump.
    const losesEntries = shrinks.some(({ what }) => !what.includes('.'))
    super(
      `Nothing was imported, as it would take away ${losses.join(', ')}. ` +
        `${losesEntries ? 'Look whether the dump is whole: of one that is a part, add --part; if' : 'Check the dump for missing rows and values. If'} ` +
        `it is meant to be so, add --allow-shrink ${shrinks.map(({ what }) => what).join(',')}`,
    )
    this.shrinks = shrinks
  }
}

/** Returns the tables to check when something shrinks. A field without its own tables uses those of its kind. */
export function tablesBehind(source: Source, what: string): readonly string[] {
  if (source === 'local') return []
  const tables = DUMP_SOURCES[source].tablesBehind
  return tables[what] ?? tables[what.replace(/\..*/, '')] ?? []
}
