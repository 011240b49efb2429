import { exampleRef as ref, NAGISA } from '../../catalog/example-parts.ts'
import { CLANNAD, PLANETARIAN } from '../example-summaries.ts'

/** Responses for the bundled sample. A test compares them with the service. */

const page = (items: object[], total_items: number) => ({
  items,
  meta: { page: 1, page_size: 1, item_count: 1, total_items, total_pages: total_items },
})

/** Works of 中原麻衣. */
export const PERSON_WORKS = page(
  [{ work: CLANNAD, roles: [{ role: 'VOICE', credited_as: null, note: '', character: NAGISA }] }],
  2,
)

/** Works of Sekai Project. */
export const PRODUCER_WORKS = page(
  [{ work: PLANETARIAN, roles: [{ role: 'LOCALIZER', note: '' }] }],
  2,
)

/** Works of 古河渚. */
export const CHARACTER_WORKS = page(
  [{ work: CLANNAD, roles: [{ role: 'MAIN', actors: [ref(49, '中原麻衣')] }] }],
  1,
)
