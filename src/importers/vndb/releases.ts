import { groupRows, integerOf, isTrue, readTable } from '../copy-text.ts'
import type { DumpReading } from '../dump/reading.ts'
import { type Extlink, type Extlinks, readExtlinksOf, websiteOf } from './extlinks.ts'

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

/** The releases of each novel that hold all of it (no trials, no parts), the earliest first. */
export async function readReleases(
  dump: DumpReading,
  extlinks: Extlinks,
): Promise<ReadonlyMap<string, Release[]>> {
  const platforms = await groupRows(
    readTable(dump, 'releases_platforms', ['id', 'platform']),
    ({ id }) => id,
    ({ platform }) => platform,
  )
  const languages = await groupRows(
    readTable(dump, 'releases_titles', ['id', 'lang']),
    ({ id }) => id,
    ({ lang }) => lang,
  )
  const producers = await groupRows(
    readTable(dump, 'releases_producers', ['id', 'pid', 'developer', 'publisher']),
    ({ id }) => id,
    ({ pid, developer, publisher }) =>
      pid ? { ref: pid, developer: isTrue(developer), publisher: isTrue(publisher) } : null,
  )
  const links = await readExtlinksOf(dump, 'releases_extlinks', extlinks)
  const engines = await readEngines(dump)

  const releases = new Map<string, Release>()
  const columns = ['id', 'olang', 'released', 'minage', 'has_ero', 'patch', 'official', 'engine'] as const
  for await (const row of readTable(dump, 'releases', columns, ['website'])) {
    if (row.id === null) continue
    releases.set(row.id, {
      id: row.id,
      released: integerOf(row.released) ?? 0,
      official: isTrue(row.official),
      patch: isTrue(row.patch),
      adult: isTrue(row.has_ero) || (integerOf(row.minage) ?? 0) >= 18,
      // Until October 2025 the column held the name itself.
      engine: integerOf(row.engine) === null ? row.engine || null : (engines.get(row.engine ?? '') ?? null),
      languages: languages.get(row.id) ?? (row.olang ? [row.olang] : []),
      platforms: platforms.get(row.id) ?? [],
      producers: producers.get(row.id) ?? [],
      website: (websiteOf(links.get(row.id)) ?? row.website) || null,
      extlinks: links.get(row.id) ?? [],
    })
  }

  const complete = await groupRows(
    readTable(dump, 'releases_vn', ['id', 'vid', 'rtype']),
    ({ vid, rtype }) => (rtype === 'complete' ? vid : null),
    ({ id }) => releases.get(id ?? '') ?? null,
  )
  for (const list of complete.values()) {
    list.sort((one, other) => (one.released || UNKNOWN) - (other.released || UNKNOWN))
  }
  return complete
}

// An unknown date sorts with the dates to be announced.
const UNKNOWN = 99999999

async function readEngines(dump: DumpReading): Promise<Map<string, string>> {
  const engines = new Map<string, string>()
  for await (const { id, name } of readTable(dump, 'engines', ['id', 'name'])) {
    if (id && name) engines.set(id, name)
  }
  return engines
}
