import { exampleCover } from '../../catalog/example-parts.ts'
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
    exampleSummary('light_novel', 24, '虚構推理', {
      cover: {
        ...exampleCover('https://images.ranobedb.org/5cEBlBYTYfpWnJLj.jpg'),
        width: 240,
        height: 339,
      },
      release_date: '2019-01-15T00:00:00.000Z',
      status: 'SERIALIZING',
    }),
    89,
  ),
  manga: pageOf(
    exampleSummary('manga', 102, '×××HOLiC', {
      cover: exampleCover('https://lain.bgm.tv/pic/cover/l/35/05/495_Ovvsp.jpg'),
      status: 'FINISHED',
    }),
    22,
  ),
  person: pageOf(exampleSummary('person', 1, '麻枝准', { romaji_title: 'Maeda Jun' }), 467),
  producer: pageOf(exampleSummary('producer', 1, 'G-Collections'), 129),
  character: pageOf(
    exampleSummary('character', 1, '岡崎朋也', {
      title: '冈崎朋也',
      en_title: 'Okazaki Tomoya',
      romaji_title: 'Okazaki Tomoya',
    }),
    168,
  ),
}
