import { sql } from 'kysely'
import { integerOf, otherNames } from '../dump/tables/copy-text.ts'
import type { CharacterFields } from '../records/record-fields.ts'
import type { ImportReport, SourceRecord } from '../records/record.ts'
import { chineseTitle, englishTitle, originTitle } from '../records/titles.ts'
import { BLOOD_TYPES, GENDER_OF_CODE } from './codes/codes.ts'
import { IMAGE_COLUMNS, type ImageRow, mediaOf, toImages } from './releases/images.ts'
import { childRows, itemColumns, type ListsOf } from '../dump/tables/lists.ts'
import { plainText } from './plain-text.ts'
import { type EntryParts, type EntryRow, hashOf, timesOf } from './entries.ts'
import { traitLabels, type TraitRow } from './codes/traits.ts'

/** Row of a character. `lang` is the original language of the first galgame with the character. */
type Row = EntryRow<'chars'> & { lang: string | null }

type Items = {
  names: { lang: string; title: string; latin: string | null }
  aliases: { name: string | null; latin: string | null }
  traits: TraitRow
  images: ImageRow
}

/**
 * Characters. A character's name is in the language of the first galgame in which they appear. Descriptions are in
 * English.
 */
export const CHARACTERS: EntryParts<'chars', Items> = {
  kind: 'character',
  table: 'chars',
  lists: {
    aliases: { from: childRows('chars_alias', 'chars'), columns: itemColumns('name', 'latin') },
    names: {
      from: childRows('chars_names', 'chars'),
      columns: { lang: 'item.lang', title: 'item.name', latin: 'item.latin' },
    },
    traits: {
      from: sql`${childRows('chars_traits', 'chars')} join dump_trait_labels trait on trait.id = item.tid`,
      columns: { key: 'trait.key', value: 'trait.value', order: 'trait.order' },
    },
    images: {
      from: sql`dump_images item join dump_chars parent on parent.image = item.id`,
      columns: IMAGE_COLUMNS,
    },
  },
  joined: {
    columns: sql`language.lang`,
    joins: sql`left join dump_languages language on language.id = entry.id`,
  },
  // as: `lang` is the joined column
  toRecord: (row, lists, report) => toCharacter(row as Row, lists, report),
}

function toCharacter(
  row: Row,
  { names, aliases, traits, images }: ListsOf<Items>,
  report: ImportReport,
): SourceRecord | undefined {
  const language = row.lang ?? 'ja'
  const named = names.length > 0 ? names : formerNames(row, language)
  const name = originTitle(named, language)
  if (!row.id || !name) {
    report.note({ code: 'character.no_name' }, row.id ?? '')
    return undefined
  }
  const translated = chineseTitle(named, language)
  const description = plainText(row.description)
  return {
    kind: 'character',
    external_id: row.id,
    ...hashOf(row),
    fields: {
      name,
      trans_name: translated,
      en_name: englishTitle(named) ?? named.find(({ title }) => title === name)?.latin ?? null,
      aliases: otherNames(
        [name, translated],
        [
          ...named.flatMap(({ title, latin }) => [title, latin]),
          ...aliases.flatMap((alias) => [alias.name, alias.latin]),
          row.alias,
        ],
      ),
      intro: description,
      en_intro: description,
      image: row.image ? mediaOf(toImages(images), row.image) : null,
      ...bodyOf(row),
      ...birthdayOf(row, report),
      labels: traitLabels(traits),
      ...timesOf(row),
    },
  }
}

/**
 * Returns the names from a dump without `chars_names`. In the oldest dumps, `name` is the romanized form of `original`.
 */
function formerNames({ name, original, latin }: Row, lang: string): Items['names'][] {
  if (original) return [{ lang, title: original, latin: name ?? null }]
  return name ? [{ lang, title: name, latin: latin ?? null }] : []
}

type Body = Pick<
  CharacterFields,
  'gender' | 'blood_type' | 'height' | 'weight' | 'bust' | 'waist' | 'hips' | 'cup' | 'age'
>

/** Returns body measures. Zero means unknown, except for the age. */
function bodyOf(row: Row): { [Name in keyof Body]: Body[Name] | null | undefined } {
  return {
    gender: GENDER_OF_CODE[row.sex ?? ''] ?? GENDER_OF_CODE[row.gender ?? ''],
    blood_type: BLOOD_TYPES[row.bloodt ?? ''],
    height: integerOf(row.height) || null,
    weight: integerOf(row.weight) || null,
    bust: integerOf(row.s_bust) || null,
    waist: integerOf(row.s_waist) || null,
    hips: integerOf(row.s_hip) || null,
    cup: row.cup_size,
    age: integerOf(row.age),
  }
}

/** Either part of a birthday may be unknown. */
function birthdayOf(row: Row, report: ImportReport) {
  const birthday = integerOf(row.birthday) ?? 0
  const month = Math.floor(birthday / 100) || integerOf(row.b_month) || null
  const day = birthday % 100 || integerOf(row.b_day) || null
  if ((month ?? 1) >= 1 && (month ?? 1) <= 12 && (day ?? 1) >= 1 && (day ?? 1) <= 31)
    return { birthday_month: month, birthday_day: day }
  report.note({ code: 'birthday.impossible' }, row.id ?? '')
  return {}
}
