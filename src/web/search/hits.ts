import type { ShownHit } from '../../search/shown-queries.ts'
import type { PictureMedia } from '../pictures/picture.ts'

/** A hit as searches show it, read from its JSON. */
export type HitContents = {
  title: string
  subtitle: string | null
  developer: string | null
  cover: PictureMedia | null
}

export type Hit = Pick<ShownHit, 'kind' | 'id'> & HitContents

// as: what the statement has made
export const readHit = ({ kind, id, hit }: ShownHit): Hit => ({
  ...(JSON.parse(hit) as HitContents),
  kind,
  id,
})
