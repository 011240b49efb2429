import { entryDetail, timesSql } from '../sql-fragments.ts'

/** §2.10 */
export const CHARACTER_DETAIL = entryDetail(
  'characters',
  `
  characters.id,
  characters.name,
  characters.trans_name,
  characters.aliases,
  characters.intro,
  characters.trans_intro,
  characters.image,
  characters.gender,
  characters.blood_type,
  characters.birthday_month,
  characters.birthday_day,
  trim_scale(characters.height) as height,
  trim_scale(characters.weight) as weight,
  trim_scale(characters.bust) as bust,
  trim_scale(characters.waist) as waist,
  trim_scale(characters.hips) as hips,
  characters.cup,
  characters.age,
  characters.labels,
  ${timesSql('characters')}`,
)
