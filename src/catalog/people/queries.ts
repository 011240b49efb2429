import { entryDetail, timesSql } from '../sql-fragments.ts'

/** §2.8 */
export const PERSON_DETAIL = entryDetail(
  'people',
  `
  people.id,
  people.name,
  people.trans_name,
  people.aliases,
  people.intro,
  people.trans_intro,
  people.image,
  people.gender,
  people.labels,
  ${timesSql('people')}`,
)
