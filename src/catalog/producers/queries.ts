import { entryDetail, isoDay, timesSql } from '../sql-fragments.ts'

/** §2.9 */
export const PRODUCER_DETAIL = entryDetail(
  'producers',
  `
  producers.id,
  producers.name,
  producers.type,
  producers.aliases,
  producers.intro,
  producers.trans_intro,
  producers.country,
  ${isoDay('producers.established')} as established,
  producers.website,
  producers.logo,
  producers.labels,
  ${timesSql('producers')}`,
)
