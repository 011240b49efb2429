import { CLANNAD } from '../example-summaries.ts'

/** An answer of the bundled sample; a test holds it against it. */
export const LOOKUP_EXAMPLE = {
  items: [{ source: 'vndb', id: 'v4', type: 'galgame', volume_id: null, entry: CLANNAD }],
  missing: ['v999999'],
}
