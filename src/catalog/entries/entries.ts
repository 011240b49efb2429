import type { TObject } from 'typebox'
import { Named } from '../../http/wire/schemas.ts'
import type { EntryDefinition } from '../cache/batch.ts'
import { CHARACTER_FIELDS } from '../fields/character.ts'
import { answersOf, examplesOf, selectOf, type Fields } from '../fields/field.ts'
import { GALGAME_FIELDS } from '../fields/galgame.ts'
import { LIGHT_NOVEL_FIELDS } from '../fields/light-novel.ts'
import { MANGA_FIELDS } from '../fields/manga.ts'
import { PERSON_FIELDS } from '../fields/person.ts'
import { PRODUCER_FIELDS } from '../fields/producer.ts'
import { WORK_ANSWER } from '../fields/shared.ts'
import { KINDS, type EntryKind } from '../kinds.ts'
import { bangumiId, outsideIds } from '../sql-fragments.ts'
import { detailStatement } from '../statements.ts'

/** §2.3, decision 0002 */
export const Galgame = Named('Galgame', { ...answersOf(GALGAME_FIELDS), ...answersOf(WORK_ANSWER) })
/** §2.6 */
export const LightNovel = Named('LightNovel', {
  ...answersOf(LIGHT_NOVEL_FIELDS),
  ...answersOf(WORK_ANSWER),
})
/** §2.7 */
export const Manga = Named('Manga', { ...answersOf(MANGA_FIELDS), ...answersOf(WORK_ANSWER) })
/** §2.8, decision 0002 */
export const Person = Named('Person', answersOf(PERSON_FIELDS))
/** §2.9, decision 0002 */
export const Producer = Named('Producer', answersOf(PRODUCER_FIELDS))
/** §2.10, decision 0002 */
export const Character = Named('Character', answersOf(CHARACTER_FIELDS))

type Parts = {
  schema: TObject
  fields: Fields
  /** SQL of a further row from which fields are read. */
  from?: string
  /** For works: the tags in the example. */
  tags?: object[]
}

function answerAbout(kind: EntryKind, { schema, fields, from, tags = [] }: Parts): EntryDefinition {
  const { table, isWork } = KINDS[kind]
  const select = selectOf(fields, table)
  const example = examplesOf(fields)
  return {
    schema,
    statement: detailStatement(
      kind,
      isWork ? `${select}, ${selectOf(WORK_ANSWER, 'work')}` : select,
      from,
    ),
    example: isWork ? { ...example, ...examplesOf(WORK_ANSWER), tags } : example,
  }
}

/** Response definition of each kind of entry. */
export const ENTRIES: Readonly<Record<EntryKind, EntryDefinition>> = {
  galgame: answerAbout('galgame', {
    schema: Galgame,
    fields: GALGAME_FIELDS,
    from: outsideIds('galgame', 'galgames'),
    tags: [{ name: 'key', likes: 1508 }],
  }),
  light_novel: answerAbout('light_novel', {
    schema: LightNovel,
    fields: LIGHT_NOVEL_FIELDS,
    from: bangumiId('light_novel', 'light_novels'),
  }),
  manga: answerAbout('manga', {
    schema: Manga,
    fields: MANGA_FIELDS,
    from: bangumiId('manga', 'mangas'),
  }),
  person: answerAbout('person', { schema: Person, fields: PERSON_FIELDS }),
  producer: answerAbout('producer', {
    schema: Producer,
    fields: PRODUCER_FIELDS,
    from: outsideIds('producer', 'producers'),
  }),
  character: answerAbout('character', {
    schema: Character,
    fields: CHARACTER_FIELDS,
    from: outsideIds('character', 'characters'),
  }),
}
