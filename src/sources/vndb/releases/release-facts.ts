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
 * What the complete releases of a novel say of it.
 *
 * Dates, platforms, website and engine are those of official releases that are no patches; for adults is a novel
 * of which any release is.
 *
 * @param releases the earliest first
 */
export function releaseFields(releases: Release[]): ReleaseFields {
  const counting = countingReleases(releases)
  return {
    ...firstDate(counting),
    platforms: [...new Set(counting.flatMap(({ platforms }) => platforms))],
    homepage: counting.find(({ website }) => website)?.website,
    engine: mostFrequent(counting.flatMap(({ engine }) => engine ?? [])),
    nsfw: releases.length > 0 ? releases.some(({ adult }) => adult) : null,
  }
}

/**
 * The developers, then the publishers, then those who published it in other languages only.
 *
 * A publisher is a LOCALIZER when none of its releases has the language of origin: companies abroad, and groups
 * of fans with a translation patch. An unofficial release in the language of origin (a port by fans) makes nobody
 * a publisher. Who did not publish the first release has a note with what it did publish for: `PS2、PSP`, `Steam`.
 */
export function producersOf(releases: Release[], olang: string | null): GalgameLinks['producers'] {
  const inOrigin = (release: Release) => olang === null || release.languages.includes(olang)
  const official = countingReleases(releases)
  const abroad = releases.filter((release) => !inOrigin(release))

  const developers = producersWith('developer', official)
  const inLanguage = official.filter(inOrigin)
  const publishers = producersWith('publisher', inLanguage)
  const first = producersWith('publisher', firstOf(inLanguage))
  const localizers = producersWith('publisher', abroad).difference(publishers)
  return [
    ...[...developers].map((ref) => ({ ref, role: 'DEVELOPER' as const })),
    ...[...publishers].map((ref) => ({
      ref,
      role: 'PUBLISHER' as const,
      ...(!first.has(ref) && withNote(publishedBy(ref, inLanguage))),
    })),
    ...[...localizers].map((ref) => ({ ref, role: 'LOCALIZER' as const })),
  ]
}

/** The pages elsewhere of the official releases that are no patches, the earliest first. */
export function extlinksOf(releases: Release[]): Extlink[] {
  return countingReleases(releases).flatMap(({ extlinks }) => extlinks)
}

const countingReleases = (releases: Release[]) =>
  releases.filter(({ official, patch }) => official && !patch)

/** The releases of the first day on which there were any with a publisher. */
function firstOf(releases: Release[]): Release[] {
  const published = releases.filter(({ producers }) => producers.some(({ publisher }) => publisher))
  return published.filter(({ released }) => released === published[0]?.released)
}

const publishedBy = (ref: string, releases: Release[]) =>
  releases.filter(({ producers }) => producers.some((one) => one.ref === ref && one.publisher))

/** What releases are for; one for Windows that is at Steam is for Steam. */
function withNote(releases: Release[]): { note?: string } {
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

/** The day of the first release; of one known in part, or yet to be announced, only a note. */
function firstDate(releases: Release[]): DateFields {
  const first = releases.find(({ released }) => released > 0)
  if (!first) return {}
  const digits = String(first.released)
  const day = fullDay(digits)
  if (day) return { release_date: day, release_date_tbd: false }
  return { release_date_tbd: true, release_date_tbd_note: partialDate(digits) ?? 'TBA' }
}

/** Of equally frequent values the first. */
function mostFrequent(values: string[]): string | null {
  const groups = [...Map.groupBy(values, (value) => value)]
  const [most] = groups.toSorted(([, one], [, other]) => other.length - one.length)
  return most?.[0] ?? null
}
