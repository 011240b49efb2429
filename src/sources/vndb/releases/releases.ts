import { integerOf, isTrue } from '../../dump/tables/copy-text.ts'
import type { ListsOf } from '../../dump/tables/lists.ts'
import { type Extlink, websiteOf } from './extlinks.ts'

export type Release = {
  id: string
  /** `YYYYMMDD`, with 99 for an unknown month or day; 99999999 for to be announced; 0 for unknown. */
  released: number
  official: boolean
  patch: boolean
  /** True for sexual content or an age rating of 18. */
  adult: boolean
  engine: string | null
  languages: string[]
  platforms: string[]
  producers: { ref: string; developer: boolean; publisher: boolean }[]
  website: string | null
  extlinks: Extlink[]
}

/** Release rows from other tables, each with the id of its release. */
export type ReleaseRows = {
  releases: { id: string } & Record<
    | 'olang'
    | 'released'
    | 'minage'
    | 'has_ero'
    | 'patch'
    | 'official'
    | 'engine'
    | 'engine_name'
    | 'website',
    string | null
  >
  platforms: { id: string; platform: string | null }
  languages: { id: string; lang: string | null }
  producers: { id: string; pid: string | null; developer: string | null; publisher: string | null }
  releaseLinks: { id: string } & Extlink
}

export function toReleases(rows: ListsOf<ReleaseRows>): Release[] {
  const platforms = groupByRelease(rows.platforms, ({ platform }) => platform)
  const languages = groupByRelease(rows.languages, ({ lang }) => lang)
  const producers = groupByRelease(rows.producers, ({ pid, developer, publisher }) =>
    pid ? { ref: pid, developer: isTrue(developer), publisher: isTrue(publisher) } : null,
  )
  const links = groupByRelease(rows.releaseLinks, ({ site, value }): Extlink => ({ site, value }))
  return rows.releases
    .map(({ id, engine, ...row }) => ({
      id,
      released: integerOf(row.released) ?? 0,
      official: isTrue(row.official),
      patch: isTrue(row.patch),
      adult: isTrue(row.has_ero) || (integerOf(row.minage) ?? 0) >= 18,
      // Until October 2025, this column held the name of the engine.
      engine: integerOf(engine) === null ? engine || null : row.engine_name,
      languages: languages.get(id) ?? (row.olang ? [row.olang] : []),
      platforms: platforms.get(id) ?? [],
      producers: producers.get(id) ?? [],
      website: (websiteOf(links.get(id)) ?? row.website) || null,
      extlinks: links.get(id) ?? [],
    }))
    .toSorted((a, b) => (a.released || UNKNOWN) - (b.released || UNKNOWN))
}

// Unknown dates sort like dates to be announced.
const UNKNOWN = 99999999

function groupByRelease<Row extends { id: string }, Value>(
  rows: Row[],
  valueOf: (row: Row) => Value | null,
) {
  const groups = new Map<string, Value[]>()
  for (const row of rows) {
    const value = valueOf(row)
    if (value !== null) groups.getOrInsert(row.id, []).push(value)
  }
  return groups
}
