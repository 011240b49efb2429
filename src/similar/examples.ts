import { CHOBITS, CLANNAD, RAGNAROK } from '../browse/example-summaries.ts'

/** Answers of the bundled sample, shortened; a test holds them against it. */

export const SIMILAR_EXAMPLES = {
  /** Of planetarian. */
  galgame: { items: [{ reason: 'STAFF', work: CLANNAD }] },
  /** Of 涼宮ハルヒシリーズ. */
  light_novel: { items: [{ reason: 'PRODUCER', work: RAGNAROK }] },
  /** Of ×××HOLiC. */
  manga: { items: [{ reason: 'PRODUCER', work: CHOBITS }] },
}
