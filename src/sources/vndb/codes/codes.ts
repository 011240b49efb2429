import type { CharacterRole, GalgameRelationDetail } from '../../../catalog/enums.ts'
import type { CharacterFields, GalgameFields, ProducerFields } from '../../records/record-fields.ts'

// Maps VNDB's codes to ours. Codes that are missing here are new at VNDB and are ignored.

type Table<Value> = Readonly<Record<string, Value>>

export const DEV_STATUS: Table<GalgameFields['dev_status']> = {
  0: 'RELEASED',
  1: 'IN_DEVELOPMENT',
  2: 'CANCELLED',
}

/** vn_relations.relation: relation of the other galgame to this one. */
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

/** chars_vns.role: `main` is the protagonist, `primary` a main character. */
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

/** `b` means both, `n` none. The column for gender identity adds `o` for other and `a` for ambiguous. */
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

/** Country, guessed from the language. Languages spoken in many countries, such as `en` and `zh-Hant`, are omitted. */
export const COUNTRIES: Table<string> = { ja: 'JP', 'zh-Hans': 'CN', ko: 'KR' }

/** VNDB's language codes that are not BCP 47. `ck` is VNDB's own code for Cherokee. */
const LANGUAGES: Table<string> = { 'pt-br': 'pt-BR', 'pt-pt': 'pt-PT', ck: 'chr' }

/** Converts a VNDB language code to BCP 47. */
export function languageTag(code: string | null): string | null {
  return code === null ? null : (LANGUAGES[code] ?? code)
}
