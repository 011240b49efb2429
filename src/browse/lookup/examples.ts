import { CLANNAD } from '../example-summaries.ts'

/** Response for the bundled sample. A test compares it with the service. */
export const LOOKUP_EXAMPLE = {
  items: [{ source: 'vndb', id: 'v4', type: 'galgame', volume_id: null, entry: CLANNAD }],
  missing: ['v999999'],
}
