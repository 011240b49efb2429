import { sql } from 'kysely'
import type { Database } from '../../db/database.ts'
import { integerOf, otherNames } from '../dump/tables/copy-text.ts'
import type { CharacterFields, Label } from '../records/record-fields.ts'
import type { ImportReport, SourceRecord } from '../records/record.ts'
import { chineseTitle, englishTitle, originTitle } from '../records/titles.ts'
import { BLOOD_TYPES, GENDER_OF_CODE } from './codes/codes.ts'
import { IMAGE_COLUMNS, type PictureRow, mediaOf, toImages } from './releases/images.ts'
import type { EntryParts } from './known-entries.ts'
import { childRows, type ListParts, listsBy } from '../dump/tables/lists.ts'
import { plainText } from './plain-text.ts'
import { type EntryRow, hashOf, type Joined, streamEntries, timesOf } from './times.ts'
import type { Title } from './titles.ts'
import { traitLabels, type Traits } from './codes/traits.ts'

type Column =
  | 'id'
  | 'image'
  | 'bloodt'
  | 'cup_size'
  | 's_bust'
  | 's_waist'
  | 's_hip'
  | 'height'
  | 'weight'
  | 'age'
  | 'description'
  | 'sex'
  | 'gender'
  | 'birthday'
  | 'b_month'
  | 'b_day'
  | 'name'
  | 'original'
  | 'latin'
  | 'alias'

/** `lang` is the language of the first novel; `picture` what is known of the image. */
type Row = EntryRow<Column | 'lang'> & { picture: PictureRow }

/** What of a character stands in other tables. */
type Parts = { names: Title[]; aliases: (string | null)[]; labels: Label[] }

const LISTS = {
  aliases: { from: childRows('chars_alias', 'chars'), columns: ['item.name', 'item.latin'] },
  names: {
    from: childRows('chars_names', 'chars'),
    columns: ['item.lang', 'item.name', 'item.latin'],
  },
  traits: {
    from: sql`${childRows('chars_traits', 'chars')} left join dump_trait_labels trait on trait.id = item.tid`,
    columns: ['item.tid'],
    dependsOn: ['trait.label'],
  },
} satisfies Record<string, ListParts>

const imageColumns = IMAGE_COLUMNS.map((column) => sql.ref(`image.${column}`))
const JOINED: Joined = {
  columns: sql`language.lang, json_build_array(${sql.join(imageColumns)}) as picture`,
  joins: sql`
    left join dump_languages language on language.id = entry.id
    left join dump_images image on image.id = entry.image`,
}

export const CHARACTERS: EntryParts = {
  kind: 'character',
  table: 'chars',
  lists: Object.values(LISTS),
  joined: { columns: sql`language.lang, ${sql.join(imageColumns)}`, joins: JOINED.joins },
}

/** Characters under their name in the language of the first novel they appear in; descriptions are English. */
export async function* readCharacters(
  report: ImportReport,
  trx: Database,
  traits: Traits,
): AsyncGenerator<SourceRecord> {
  const aliases = listsBy<(string | null)[]>(trx, 'chars_alias', LISTS.aliases)
  const names = listsBy<NameRow>(trx, 'chars_names', LISTS.names)
  const own = listsBy<[tid: string | null]>(trx, 'chars_traits', LISTS.traits)
  const characters = streamEntries<Column | 'lang'>(trx, 'chars', JOINED)
  for await (const rows of characters)
    for (const row of rows) {
      const record = toCharacter(
        // as: the column that was added above
        row as Row,
        {
          names: (await names.take(row.n)).map(([lang, title, latin]) => ({
            lang,
            official: false,
            title,
            latin,
          })),
          aliases: (await aliases.take(row.n)).flat(),
          labels: traitLabels(traits, (await own.take(row.n)).flat()),
        },
        report,
      )
      if (record) yield record
    }
}

type NameRow = [lang: string, title: string, latin: string | null]

function toCharacter(
  row: Row,
  { names, aliases, labels }: Parts,
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
        [...named.flatMap(({ title, latin }) => [title, latin]), ...aliases, row.alias],
      ),
      intro: description,
      en_intro: description,
      image: row.image ? mediaOf(toImages([row.picture]), row.image) : null,
      ...bodyOf(row),
      ...birthdayOf(row, report),
      labels,
      ...timesOf(row),
    },
  }
}

/** The names of a dump without `chars_names`: in the oldest, `name` is the romanised form of `original`. */
function formerNames({ name, original, latin }: Row, lang: string): Title[] {
  if (original) return [{ lang, official: false, title: original, latin: name ?? null }]
  return name ? [{ lang, official: false, title: name, latin: latin ?? null }] : []
}

type Body = Pick<
  CharacterFields,
  'gender' | 'blood_type' | 'height' | 'weight' | 'bust' | 'waist' | 'hips' | 'cup' | 'age'
>

/** Zero stands for unknown everywhere but in the age. */
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

/** Month and day, either of which may be unknown. */
function birthdayOf(row: Row, report: ImportReport) {
  const birthday = integerOf(row.birthday) ?? 0
  const month = Math.floor(birthday / 100) || integerOf(row.b_month) || null
  const day = birthday % 100 || integerOf(row.b_day) || null
  if ((month ?? 1) >= 1 && (month ?? 1) <= 12 && (day ?? 1) >= 1 && (day ?? 1) <= 31)
    return { birthday_month: month, birthday_day: day }
  report.note({ code: 'birthday.impossible' }, row.id ?? '')
  return {}
}
