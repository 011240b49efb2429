import { arrayOf, type CopyFolder, groupRows, readTable } from '../copy-text.ts'
import type { Cover, Media } from '../record-fields.ts'
import { type Images, mediaOf } from './images.ts'
import type { Release } from './releases.ts'

/** The pictures of novels: the images themselves, and the tables that say whose they are. */
export type Pictures = {
  images: Images
  /** Package fronts and digital covers by release. */
  fronts: ReadonlyMap<string, Front[]>
  /** The image that each voting reader chose as the cover, by novel. */
  votes: ReadonlyMap<string, string[]>
  screenshots: ReadonlyMap<string, string[]>
}

/** `vid` null: of every novel in the release. No languages: of all languages of the release. */
type Front = { img: string; vid: string | null; languages: string[] }

export async function readPictures(dump: CopyFolder, images: Images): Promise<Pictures> {
  const votes = await groupRows(
    readTable(dump, 'vn_image_votes', ['vid', 'img']),
    ({ vid }) => vid,
    ({ img }) => img,
  )
  const fronts = await groupRows(
    readTable(dump, 'releases_images', ['id', 'img', 'vid', 'itype', 'lang']),
    ({ id }) => id,
    ({ img, vid, itype, lang }): Front | null =>
      img && (itype === 'pkgfront' || itype === 'dig') ? { img, vid, languages: arrayOf(lang) } : null,
  )
  const screenshots = await groupRows(
    readTable(dump, 'vn_screenshots', ['id', 'scr']),
    ({ id }) => id,
    ({ scr }) => scr,
  )
  return { images, fronts, votes, screenshots }
}

/**
 * The covers of a novel, those that most readers chose first.
 *
 * Among equals VNDB's own choice comes first, then the fronts of its official releases in the language of origin,
 * then the others, each from the earliest release on.
 *
 * @param chosen vn.c_image
 * @param releases the earliest first
 */
export function rankedCovers(
  pictures: Pictures,
  novel: { id: string; olang: string | null; chosen: string | null },
  releases: Release[],
): Cover[] {
  const votes = Map.groupBy(pictures.votes.get(novel.id) ?? [], (img) => img)
  const fronts = releases
    .filter(({ official }) => official)
    .flatMap((release) =>
      (pictures.fronts.get(release.id) ?? [])
        .filter(({ vid }) => vid === null || vid === novel.id)
        .map(({ img, languages }) => {
          const covered = languages.length > 0 ? languages : release.languages
          return { img, inOrigin: covered.includes(novel.olang ?? '') }
        }),
    )
    .toSorted((one, other) => Number(other.inOrigin) - Number(one.inOrigin))
  const ids = [novel.chosen, ...fronts.map(({ img }) => img), ...votes.keys()]
  return [...new Set(ids.filter((id) => id !== null))]
    .map((id) => ({ ...mediaOf(pictures.images, id), votes: votes.get(id)?.length ?? 0 }))
    .toSorted((one, other) => other.votes - one.votes)
}

/** The screenshots of a novel in the order of its page. */
export function screenshotsOf(pictures: Pictures, vid: string): Media[] {
  return (pictures.screenshots.get(vid) ?? []).map((id) => mediaOf(pictures.images, id))
}
