import { integerOf, readTable } from '../copy-text.ts'
import type { DumpReading } from '../dump/reading.ts'
import type { Media } from '../record-fields.ts'

/** What VNDB knows of an image; kept small, as there are half a million. */
type ImageFacts = Omit<Media, 'url'>
export type Images = ReadonlyMap<string, ImageFacts>

/** All images by id (`cv12` cover, `ch12` character, `sf12` screenshot). */
export async function readImages(dump: DumpReading): Promise<Images> {
  const images = new Map<string, ImageFacts>()
  const columns = ['id', 'width', 'height', 'c_votecount', 'c_sexual_avg', 'c_violence_avg'] as const
  for await (const row of readTable(dump, 'images', columns)) {
    if (row.id === null) continue
    const votes = integerOf(row.c_votecount) ?? 0
    images.set(row.id, {
      width: integerOf(row.width) || null,
      height: integerOf(row.height) || null,
      sexual: gradeOf(votes, row.c_sexual_avg),
      violence: gradeOf(votes, row.c_violence_avg),
    })
  }
  return images
}

/** An image with its address; one that VNDB says nothing of is graded as the worst, as VNDB does unseen ones. */
export function mediaOf(images: Images, id: string): Media {
  const [, kind = '', number = ''] = /^([a-z]+)(\d+)$/.exec(id) ?? []
  const url = `https://t.vndb.org/${kind}/${number.slice(-2).padStart(2, '0')}/${id}.jpg`
  return { url, ...(images.get(id) ?? { width: null, height: null, sexual: 2, violence: 2 }) }
}

/**
 * VNDB's own bucket of an average vote, 0 safe, 1 suggestive or violent, 2 explicit or brutal.
 *
 * @param average in hundredths of a vote, 0 to 200
 */
function gradeOf(votes: number, average: string | null): number {
  const vote = Number(average ?? 200) / 100
  if (votes === 0 || vote > 1.3) return 2
  return vote > 0.4 ? 1 : 0
}
