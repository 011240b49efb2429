import { SOURCES } from '../../registry.ts'
import { itemColumns } from '../../dump/tables/lists.ts'
import { integerOf } from '../../dump/tables/copy-text.ts'
import type { Media } from '../../records/record-fields.ts'

type ImageFacts = Omit<Media, 'url'>

/** Images, keyed by id (`cv12` cover, `ch12` character, `sf12` screenshot). */
export type Images = ReadonlyMap<string, ImageFacts>

export const IMAGE_COLUMNS = itemColumns(
  'id',
  'width',
  'height',
  'c_votecount',
  'c_sexual_avg',
  'c_violence_avg',
)
export type ImageRow = Record<keyof typeof IMAGE_COLUMNS, string | null>

export const toImages = (rows: ImageRow[]): Images =>
  new Map(
    rows.map(({ id, width, height, c_votecount, c_sexual_avg, c_violence_avg }) => {
      const votes = integerOf(c_votecount) ?? 0
      return [
        id ?? '',
        {
          width: integerOf(width) || null,
          height: integerOf(height) || null,
          sexual: gradeOf(votes, c_sexual_avg),
          violence: gradeOf(votes, c_violence_avg),
        },
      ]
    }),
  )

/** Returns an image with its URL. Unknown images get the worst grades, just as VNDB treats unrated images. */
export function mediaOf(images: Images, id: string): Media {
  const [, kind = '', number = ''] = /^([a-z]+)(\d+)$/.exec(id) ?? []
  const url = `https://${SOURCES.vndb.pictureHosts[0]}/${kind}/${number.slice(-2).padStart(2, '0')}/${id}.jpg`
  return { url, ...(images.get(id) ?? { width: null, height: null, sexual: 2, violence: 2 }) }
}

/**
 * Converts an average vote to VNDB's grade: 0 safe, 1 suggestive or violent, 2 explicit or brutal.
 *
 * @param average average in hundredths of a vote, 0 to 200
 */
function gradeOf(votes: number, average: string | null | undefined): number {
  const vote = Number(average ?? 200) / 100
  if (votes === 0 || vote > 1.3) return 2
  return vote > 0.4 ? 1 : 0
}
