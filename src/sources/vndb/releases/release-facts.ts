import { fullDay, partialDate } from '../../dump/tables/copy-text.ts'
import type { GalgameLinks } from '../../records/record-links.ts'
import type { SourceRecord } from '../../records/record.ts'
import type { Extlink } from './extlinks.ts'
import { shortPlatformName } from '../../../catalog/platform-names.ts'
import type { Release } from './releases.ts'

type Fields = Extract<SourceRecord, { kind: 'galgame' }>['fields']
type DateFields = Pick<Fields, 'release_date' | 'release_date_tbd' | 'release_date_tbd_note'>
type ReleaseFields = DateFields & Pick<Fields, 'platforms' | 'homepage' | 'engine' | 'nsfw'>

/**
 * Returns the fields of a galgame that its complete releases determine. Dates, platforms, website and engine come from
 * official releases other than patches. A galgame is adult content if any of its releases is.
 *
 * @param releases releases of the galgame, earliest first
 */
export function releaseFields(releases: Release[]): ReleaseFields {
  const counting = officialReleases(releases)
  return {
    ...firstDate(counting),
    platforms: [...new Set(counting.flatMap(({ platforms }) => platforms))],
    homepage: counting.find(({ website }) => website)?.website,
    engine: mostFrequent(counting.flatMap(({ engine }) => engine ?? [])),
    nsfw: releases.length > 0 ? releases.some(({ adult }) => adult) : null,
  }
}

/**
 * Returns the developers, then the publishers, then the localizers.
 *
 * A publisher whose releases all lack the original language is a LOCALIZER: a foreign company or a group with a
 * translation patch. Unofficial releases in the original language, such as fan ports, have no publisher. Publishers
 * that were not involved in the first release have a note with their platforms: `PS2、PSP`, `Steam`.
 */
export function producersOf(releases: Release[], olang: string | null): GalgameLinks['producers'] {
  const isOriginal = (release: Release) => olang === null || release.languages.includes(olang)
  const official = officialReleases(releases)
  const foreignReleases = releases.filter((release) => !isOriginal(release))

  const developers = producersWith('developer', official)
  const inLanguage = official.filter(isOriginal)
  const publishers = producersWith('publisher', inLanguage)
  const first = producersWith('publisher', firstReleases(inLanguage))
  const localizers = producersWith('publisher', foreignReleases).difference(publishers)
  return [
    ...[...developers].map((ref) => ({ ref, role: 'DEVELOPER' as const })),
    ...[...publishers].map((ref) => ({
      ref,
      role: 'PUBLISHER' as const,
      ...(!first.has(ref) && platformNote(publishedBy(ref, inLanguage))),
    })),
    ...[...localizers].map((ref) => ({ ref, role: 'LOCALIZER' as const })),
  ]
}

/** Returns the links of official releases other than patches, earliest first. */
export function extlinksOf(releases: Release[]): Extlink[] {
  return officialReleases(releases).flatMap(({ extlinks }) => extlinks)
}

const officialReleases = (releases: Release[]) =>
  releases.filter(({ official, patch }) => official && !patch)

/** Returns the releases of the earliest day on which a release had a publisher. */
function firstReleases(releases: Release[]): Release[] {
  const published = releases.filter(({ producers }) => producers.some(({ publisher }) => publisher))
  return published.filter(({ released }) => released === published[0]?.released)
}

const publishedBy = (ref: string, releases: Release[]) =>
  releases.filter(({ producers }) => producers.some((item) => item.ref === ref && item.publisher))

/** Returns a note with the platforms of releases. A Windows release on Steam counts as Steam. */
function platformNote(releases: Release[]): { note?: string } {
  const names = releases.flatMap(({ platforms, extlinks }) => {
    const isAtSteam = extlinks.some(({ site }) => site === 'steam')
    return platforms.map((code) =>
      code === 'win' && isAtSteam ? 'Steam' : shortPlatformName(code),
    )
  })
  return names.length > 0 ? { note: [...new Set(names)].join('、') } : {}
}

function producersWith(part: 'developer' | 'publisher', releases: Release[]): Set<string> {
  const taking = releases.flatMap(({ producers }) => producers.filter((producer) => producer[part]))
  return new Set(taking.map(({ ref }) => ref))
}

/** Returns the date of the first release. A partial date, or a date to be announced, only becomes a note. */
function firstDate(releases: Release[]): DateFields {
  const first = releases.find(({ released }) => released > 0)
  if (!first) return {}
  const digits = String(first.released)
  const day = fullDay(digits)
  if (day) return { release_date: day, release_date_tbd: false }
  return { release_date_tbd: true, release_date_tbd_note: partialDate(digits) ?? 'TBA' }
}

/** Returns the most frequent value, or the first of equally frequent ones. */
function mostFrequent(values: string[]): string | null {
  const groups = [...Map.groupBy(values, (value) => value)]
  const [max] = groups.toSorted(([, one], [, other]) => other.length - one.length)
  return max?.[0] ?? null
}
