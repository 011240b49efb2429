import { type CopyRow, groupRows, integerOf, otherNames, readTable } from '../copy-text.ts'
import type { DumpReading } from '../dump/reading.ts'
import type { CharacterFields } from '../record-fields.ts'
import type { SourceRecord } from '../record.ts'
import { chineseTitle, englishTitle, originTitle } from '../titles.ts'
import { BLOOD_TYPES, GENDER_OF_CODE } from './codes.ts'
import type { Shared } from './dump.ts'
import { type Images, mediaOf } from './images.ts'
import { plainText } from './plain-text.ts'
import type { Title } from './titles.ts'
import { readTraitLabels } from './traits.ts'

const COLUMNS = [
  'id',
  'image',
  'bloodt',
  'cup_size',
  's_bust',
  's_waist',
  's_hip',
  'height',
  'weight',
  'age',
  'description',
] as const

// `gender` meant what is `sex` today; the birthday was two columns until December 2024, names were until October 2025.
const OLDER = ['sex', 'gender', 'birthday', 'b_month', 'b_day', 'name', 'original', 'latin', 'alias'] as const

type Row = CopyRow<(typeof COLUMNS)[number], (typeof OLDER)[number]>

/** Characters under their name in the language of the first novel they appear in; descriptions are English. */
export async function* readCharacters(
  dump: DumpReading,
  { times }: Shared,
  images: Images,
): AsyncGenerator<SourceRecord> {
  const languages = await readLanguages(dump)
  const aliases = await groupRows(
    readTable(dump, 'chars_alias', ['id', 'spoil', 'name', 'latin']),
    ({ id, spoil }) => (integerOf(spoil) ? null : id),
    ({ name, latin }) => [name, latin],
  )
  const names = await groupRows(
    readTable(dump, 'chars_names', ['id', 'lang', 'name', 'latin']),
    ({ id }) => id,
    ({ lang, name, latin }): Title | null =>
      lang && name ? { lang, official: false, title: name, latin } : null,
  )
  const labels = await readTraitLabels(dump)

  for await (const row of readTable(dump, 'chars', COLUMNS, OLDER)) {
    const language = languages.get(row.id ?? '') ?? 'ja'
    const named = names.get(row.id ?? '') ?? formerNames(row, language)
    const name = originTitle(named, language)
    if (!row.id || !name) {
      dump.report.note('a character without a name is left out', row.id ?? '')
      continue
    }
    const translated = chineseTitle(named, language)
    const description = plainText(row.description)
    yield {
      kind: 'character',
      external_id: row.id,
      fields: {
        name,
        trans_name: translated,
        en_name: englishTitle(named) ?? named.find(({ title }) => title === name)?.latin ?? null,
        aliases: otherNames(
          [name, translated],
          [
            ...named.flatMap(({ title, latin }) => [title, latin]),
            ...(aliases.get(row.id) ?? []).flat(),
            row.alias,
          ],
        ),
        intro: description,
        en_intro: description,
        image: row.image ? mediaOf(images, row.image) : null,
        ...bodyOf(row),
        labels: labels.get(row.id) ?? [],
        ...times.get(row.id),
      },
    }
  }
}

/** The language of origin of the first novel in which each character appears. */
async function readLanguages(dump: DumpReading): Promise<Map<string, string>> {
  const novels = new Map<string, string>()
  for await (const { id, olang } of readTable(dump, 'vn', ['id', 'olang'])) {
    if (id && olang) novels.set(id, olang)
  }
  const languages = new Map<string, string>()
  for await (const { id, vid } of readTable(dump, 'chars_vns', ['id', 'vid'])) {
    const language = novels.get(vid ?? '')
    if (id && language) languages.getOrInsert(id, language)
  }
  return languages
}

/** The names of a dump without `chars_names`: in the oldest, `name` is the romanised form of `original`. */
function formerNames({ name, original, latin }: Row, lang: string): Title[] {
  if (original) return [{ lang, official: false, title: original, latin: name ?? null }]
  return name ? [{ lang, official: false, title: name, latin: latin ?? null }] : []
}

type Body = Pick<
  CharacterFields,
  | 'gender'
  | 'blood_type'
  | 'birthday_month'
  | 'birthday_day'
  | 'height'
  | 'weight'
  | 'bust'
  | 'waist'
  | 'hips'
  | 'cup'
  | 'age'
>

/** Zero stands for unknown everywhere but in the age. */
function bodyOf(row: Row): { [Name in keyof Body]: Body[Name] | null | undefined } {
  const birthday = integerOf(row.birthday) ?? 0
  return {
    gender: GENDER_OF_CODE[row.sex ?? ''] ?? GENDER_OF_CODE[row.gender ?? ''],
    blood_type: BLOOD_TYPES[row.bloodt ?? ''],
    birthday_month: Math.floor(birthday / 100) || integerOf(row.b_month) || null,
    birthday_day: birthday % 100 || integerOf(row.b_day) || null,
    height: integerOf(row.height) || null,
    weight: integerOf(row.weight) || null,
    bust: integerOf(row.s_bust) || null,
    waist: integerOf(row.s_waist) || null,
    hips: integerOf(row.s_hip) || null,
    cup: row.cup_size,
    age: integerOf(row.age),
  }
}
