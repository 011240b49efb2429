import type { CharacterRole, GalgameRelationDetail } from '../../../catalog/enums.ts'
import type { CharacterFields, GalgameFields, ProducerFields } from '../../records/record-fields.ts'

// VNDB's codes and ours. A code that is not in its table is new there, and says nothing here.

type Table<Value> = Readonly<Record<string, Value>>

export const DEV_STATUS: Table<GalgameFields['dev_status']> = {
  0: 'RELEASED',
  1: 'IN_DEVELOPMENT',
  2: 'CANCELLED',
}

/** vn_relations: what the other novel is to this one. */
export const RELATIONS: Table<GalgameRelationDetail> = {
  seq: 'SEQUEL',
  preq: 'PREQUEL',
  set: 'SAME_SETTING',
  alt: 'ALTERNATIVE',
  char: 'SHARES_CHARACTERS',
  side: 'SIDE_STORY',
  par: 'PARENT_STORY',
  ser: 'SAME_SERIES',
  fan: 'FANDISC',
  orig: 'ORIGINAL_GAME',
}

/** chars_vns: `main` is the protagonist, `primary` a main character. */
export const CAST_ROLES: Table<{ role: CharacterRole; billing: number }> = {
  main: { role: 'MAIN', billing: 1 },
  primary: { role: 'MAIN', billing: 2 },
  side: { role: 'SUPPORTING', billing: 3 },
  appears: { role: 'GUEST', billing: 4 },
}

/** `co` company, `in` individual, `ng` amateur group. */
export const TYPE_OF_PRODUCER: Table<ProducerFields['type']> = {
  co: 'COMPANY',
  in: 'INDIVIDUAL',
  ng: 'DOUJIN',
}

/** `b` both, `n` none; the gender a person feels as adds `o` other and `a` ambiguous. */
export const GENDER_OF_CODE: Table<CharacterFields['gender']> = {
  m: 'male',
  f: 'female',
  b: 'other',
  n: 'other',
  o: 'other',
  a: 'other',
}

export const BLOOD_TYPES: Table<CharacterFields['blood_type']> = {
  a: 'A',
  b: 'B',
  ab: 'AB',
  o: 'O',
}

/** A guess, made only where nearly all speakers live in one country: `en` or `zh-Hant` gives none. */
export const COUNTRIES: Table<string> = { ja: 'JP', 'zh-Hans': 'CN', ko: 'KR' }

/** The codes of VNDB's that are not BCP 47. `ck` is its own for Cherokee. */
const LANGUAGES: Table<string> = { 'pt-br': 'pt-BR', 'pt-pt': 'pt-PT', ck: 'chr' }

/** A language as BCP 47; null stays null. */
export function languageTag(code: string | null): string | null {
  return code === null ? null : (LANGUAGES[code] ?? code)
}
