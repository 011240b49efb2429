import { integerOf, isTrue } from '../../dump/tables/copy-text.ts'
import { type Extlink, websiteOf } from './extlinks.ts'

/** A release as far as it says something of the novels in it. */
export type Release = {
  id: string
  /** YYYYMMDD, 99 for an unknown month or day, 99999999 to be announced, 0 unknown. */
  released: number
  official: boolean
  patch: boolean
  /** Made for adults: sexual content, or an age rating of 18. */
  adult: boolean
  engine: string | null
  languages: string[]
  platforms: string[]
  producers: { ref: string; developer: boolean; publisher: boolean }[]
  website: string | null
  extlinks: Extlink[]
}

/** Rows of the tables of releases, those of one novel; first in each the release. */
export type ReleaseRows = {
  releases: [
    id: string,
    olang: string | null,
    released: string | null,
    minage: string | null,
    has_ero: string | null,
    patch: string | null,
    official: string | null,
    engine: string | null,
    engineName: string | null,
    website: string | null,
  ][]
  platforms: [id: string, platform: string | null][]
  languages: [id: string, lang: string | null][]
  producers: [id: string, pid: string | null, developer: string | null, publisher: string | null][]
  links: [id: string, site: string, value: string][]
}

/** The releases of a novel, the earliest first. */
export function toReleases(rows: ReleaseRows): Release[] {
  const platforms = byRelease(rows.platforms, ([, platform]) => platform)
  const languages = byRelease(rows.languages, ([, lang]) => lang)
  const producers = byRelease(rows.producers, ([, pid, developer, publisher]) =>
    pid ? { ref: pid, developer: isTrue(developer), publisher: isTrue(publisher) } : null,
  )
  const links = byRelease(rows.links, ([, site, value]): Extlink => ({ site, value }))
  return rows.releases
    .map(
      ([
        id,
        olang,
        released,
        minage,
        hasEro,
        patch,
        official,
        engine,
        engineName,
        website,
      ]): Release => ({
        id,
        released: integerOf(released) ?? 0,
        official: isTrue(official),
        patch: isTrue(patch),
        adult: isTrue(hasEro) || (integerOf(minage) ?? 0) >= 18,
        // Until October 2025 the column held the name itself.
        engine: integerOf(engine) === null ? engine || null : engineName,
        languages: languages.get(id) ?? (olang ? [olang] : []),
        platforms: platforms.get(id) ?? [],
        producers: producers.get(id) ?? [],
        website: (websiteOf(links.get(id)) ?? website) || null,
        extlinks: links.get(id) ?? [],
      }),
    )
    .toSorted((one, other) => (one.released || UNKNOWN) - (other.released || UNKNOWN))
}

// An unknown date sorts with the dates to be announced.
const UNKNOWN = 99999999

function byRelease<Row extends [id: string, ...unknown[]], Value>(
  rows: Row[],
  valueOf: (row: Row) => Value | null,
) {
  const groups = new Map<string, Value[]>()
  for (const row of rows) {
    const value = valueOf(row)
    if (value !== null) groups.getOrInsert(row[0], []).push(value)
  }
  return groups
}
