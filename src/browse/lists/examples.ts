import type { EntryKind } from '../../catalog/kinds.ts'
import { paged } from '../../http/wire/requests/paging.ts'
import { CLANNAD, exampleSummary } from '../example-summaries.ts'

/** Responses for the bundled sample, shortened. A test compares them with the service. */

/** First entry of each list, with a page size of one. */
const pageOf = (
  item: object,
  total: number,
  next_cursor: string | null = 'WyJqcHJ1U0Z6Y3pDIiwxLDI0LDAsLTFd',
) => ({ ...paged([item], { page: 1, pageSize: 1 }, total), next_cursor })

/** First works with the tag `key`. */
export const TAGGED_EXAMPLE = pageOf(CLANNAD, 1, null)

export const LIST_EXAMPLES: Record<EntryKind, object> = {
  galgame: pageOf(CLANNAD, 25),
  light_novel: pageOf(
    exampleSummary('light_novel', 138, '涼宮ハルヒシリーズ', {
      title: '凉宫春日系列',
      romaji_title: 'Haruhi Suzumiya',
      status: 'SERIALIZING',
      weighted_score: 8.29,
      score_votes: 2_400,
    }),
    89,
  ),
  manga: pageOf(
    exampleSummary('manga', 137, '鋼の錬金術師', {
      title: '钢之炼金术师',
      romaji_title: 'Fullmetal Alchemist',
      release_date: '2001-07-12T00:00:00.000Z',
      status: 'FINISHED',
      weighted_score: 8.89,
      score_votes: 6_000,
    }),
    22,
  ),
  person: pageOf(
    exampleSummary('person', 56, '田村ゆかり', { romaji_title: 'Tamura Yukari' }),
    467,
  ),
  producer: pageOf(exampleSummary('producer', 18, 'MAGES. GAME'), 129),
  character: pageOf(
    exampleSummary('character', 90, '岡部倫太郎', {
      title: '冈部伦太郎',
      en_title: 'Okabe Rintarou',
      romaji_title: 'Okabe Rintarou',
    }),
    168,
  ),
}
