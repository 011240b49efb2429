import type { Source } from '../../sources/records/record.ts'
import type { Shrink } from './shrink.ts'
import { DUMP_SOURCES } from '../sources.ts'

export class ShrinkError extends Error {
  override name = 'ShrinkError'
  readonly shrinks: Shrink[]

  constructor(source: Source, shrinks: Shrink[]) {
    const losses = shrinks.map(({ what, lost, before }) => {
      const tables = tablesToCheck(source, what)
      const origin = tables.length > 0 ? ` (from ${tables.join(', ')})` : ''
      return `${lost} of ${before} of ${what}${origin}`
    })
    // A partial dump withdraws no entries, but it can lose values and items like any other dump.
    const losesEntries = shrinks.some(({ what }) => !what.includes('.'))
    super(
      `Nothing was imported, because the import would remove ${losses.join(', ')}. ` +
        `${losesEntries ? 'Check that the dump is complete. For a partial dump, add --part; if' : 'Check the dump for missing rows and values. If'} ` +
        `this is intended, add --allow-shrink ${shrinks.map(({ what }) => what).join(',')}`,
    )
    this.shrinks = shrinks
  }
}

/**
 * Returns the tables to check if a given kind or field shrinks. For a field without its own tables, these are the
 * tables of its kind.
 */
export function tablesToCheck(source: Source, what: string): readonly string[] {
  if (source === 'local') return []
  const tables = DUMP_SOURCES[source].tablesOf
  return tables[what] ?? tables[what.replace(/\..*/, '')] ?? []
}
