import { arrayOf } from '../../dump/tables/copy-text.ts'
import type { CoverKind } from '../../../catalog/enums.ts'
import type { GalgameCover, Media } from '../../records/record-fields.ts'
import { languageTag } from '../codes/codes.ts'
import { type ImageRow, type Images, mediaOf, toImages } from './images.ts'
import type { ListsOf } from '../../dump/tables/lists.ts'
import type { Release } from './releases.ts'

export type Pictures = {
  images: Images
  /** Package fronts and digital covers, keyed by release. */
  fronts: ReadonlyMap<string, Front[]>
  /** Image that each user chose as the cover. */
  votes: string[]
  screenshots: string[]
}

/** Galgame whose covers are listed. `chosen` is vn.c_image. */
type Galgame = { id: string; olang: string | null; chosen: string | null }

/**
 * Front of a release. If `vid` is null, the cover applies to every galgame of the release. Without languages, it applies
 * to all languages of the release.
 */
type Front = { img: string; vid: string | null; kind: CoverKind; languages: string[] }

/** Types of release images that serve as covers. */
export const KIND_OF_IMAGE: Readonly<Record<string, CoverKind>> = {
  dig: 'DIG',
  pkgfront: 'PKGFRONT',
}

/** Types of release images that do not serve as covers: backs, contents, sides and discs. */
export const OTHER_IMAGE_TYPES = ['pkgback', 'pkgcontent', 'pkgside', 'pkgmed']

export type PictureRows = {
  images: ImageRow
  fronts: {
    id: string
    img: string | null
    vid: string | null
    itype: string | null
    lang: string | null
  }
  votes: { img: string }
  screenshots: { scr: string }
}

export function toPictures(rows: ListsOf<PictureRows>): Pictures {
  const fronts = new Map<string, Front[]>()
  for (const { id, img, vid, itype, lang } of rows.fronts) {
    const kind = KIND_OF_IMAGE[itype ?? '']
    if (img && kind) fronts.getOrInsert(id, []).push({ img, vid, kind, languages: arrayOf(lang) })
  }
  return {
    images: toImages(rows.images),
    fronts,
    votes: rows.votes.map(({ img }) => img),
    screenshots: rows.screenshots.map(({ scr }) => scr),
  }
}

/**
 * Returns a galgame's covers, most votes first.
 *
 * Ties are broken in this order: VNDB's own choice, covers of official releases in the original language, other covers
 * of official releases. Within each group, covers of earlier releases come first.
 *
 * @param releases releases of the galgame, earliest first
 */
export function rankedCovers(
  pictures: Pictures,
  galgame: Galgame,
  releases: Release[],
): GalgameCover[] {
  const votes = Map.groupBy(pictures.votes, (img) => img)
  const ofReleases = releases.flatMap((release) => frontsOf(pictures, galgame, release))
  const fronts = ofReleases
    .filter(({ official }) => official)
    .toSorted((a, b) => Number(b.inOrigin) - Number(a.inOrigin))
  const ids = [galgame.chosen, ...fronts.map(({ img }) => img), ...votes.keys()]
  return [...new Set(ids.filter((id) => id !== null))]
    .map((id) => {
      // Users may vote for an image of a release that has no covers.
      const front = [...fronts, ...ofReleases].find(({ img }) => img === id)
      const { kind = null, language = null } = front ?? {}
      return { ...mediaOf(pictures.images, id), votes: votes.get(id)?.length ?? 0, kind, language }
    })
    .toSorted((a, b) => b.votes - a.votes)
}

/**
 * Returns the covers of a release for a galgame. The language of a cover is the original language if the cover includes
 * it, or else its first language.
 */
function frontsOf(pictures: Pictures, { id, olang }: Galgame, release: Release) {
  return (pictures.fronts.get(release.id) ?? [])
    .filter(({ vid }) => vid === null || vid === id)
    .map(({ img, kind, languages }) => {
      const covered = languages.length > 0 ? languages : release.languages
      const inOrigin = covered.includes(olang ?? '')
      const language = languageTag(inOrigin ? olang : (covered[0] ?? null))
      return { img, kind, inOrigin, language, official: release.official }
    })
}

export const screenshotsOf = ({ images, screenshots }: Pictures): Media[] =>
  screenshots.map((id) => mediaOf(images, id))
