import type { TObject } from 'typebox'
import { Named } from '../../http/wire/schemas.ts'
import type { EntryDefinition } from '../cache/batch.ts'
import { CHARACTER_FIELDS } from '../fields/character.ts'
import { responseProperties, examplesOf, selectOf, type Fields } from '../fields/field.ts'
import { GALGAME_FIELDS } from '../fields/galgame.ts'
import { LIGHT_NOVEL_FIELDS } from '../fields/light-novel.ts'
import { MANGA_FIELDS } from '../fields/manga.ts'
import { PERSON_FIELDS } from '../fields/person.ts'
import { PRODUCER_FIELDS } from '../fields/producer.ts'
import { WORK_RESPONSE_FIELDS } from '../fields/shared.ts'
import { isWorkKind, KINDS, type EntryKind, type WorkKind } from '../kinds.ts'
import { bangumiIdSql, externalIdsSql } from '../sql-fragments.ts'
import { WORK_LISTS } from '../lists/work-lists.ts'
import { detailStatement, detailWithPartsStatement } from '../statements.ts'
import { includedProperty, partNames } from './parts.ts'
import { Producer } from './producer.ts'

const WorkSchema = <Rows extends Fields>(kind: WorkKind, name: string, fields: Rows) =>
  Named(name, {
    ...responseProperties(fields),
    ...responseProperties(WORK_RESPONSE_FIELDS),
    ...includedProperty(kind),
  })

/** Schema of a galgame (§2.3, decision 0002). */
export const Galgame = WorkSchema('galgame', 'Galgame', GALGAME_FIELDS)
/** Schema of a light novel (§2.6). */
export const LightNovel = WorkSchema('light_novel', 'LightNovel', LIGHT_NOVEL_FIELDS)
/** Schema of a manga (§2.7). */
export const Manga = WorkSchema('manga', 'Manga', MANGA_FIELDS)
/** Schema of a person (§2.8, decision 0002). */
export const Person = Named('Person', responseProperties(PERSON_FIELDS))
/** Schema of a character (§2.10, decision 0002). */
export const Character = Named('Character', responseProperties(CHARACTER_FIELDS))

type Parts = {
  schema: TObject
  fields: Fields
  /** SQL for an additional row from which fields are read. */
  from?: string
  /** Tags in the example, for works. */
  tags?: object[]
  /** Scores of the sources in the example, for works. */
  scores?: object[]
}

function defineEntry(
  kind: EntryKind,
  { schema, fields, from, tags = [], scores = [] }: Parts,
): EntryDefinition {
  const { table, isWork } = KINDS[kind]
  const own = selectOf(fields, table)
  const select = isWork ? `${own}, ${selectOf(WORK_RESPONSE_FIELDS, 'work')}` : own
  const example = examplesOf(fields)
  return {
    schema,
    statement: detailStatement(kind, select, from),
    ...(isWorkKind(kind) && {
      withParts: {
        kind,
        statement: detailWithPartsStatement(kind, { select, from, lists: listsOf(kind) }),
      },
    }),
    selectable: {
      parts: partNames(kind),
      fields: new Set(Object.keys(schema.properties).filter((name) => name !== 'included')),
    },
    example: isWork
      ? { ...example, ...examplesOf(WORK_RESPONSE_FIELDS), tags, source_scores: scores }
      : example,
  }
}

const listsOf = (kind: WorkKind) =>
  Object.fromEntries(Object.entries(WORK_LISTS[kind]).map(([name, { list }]) => [name, list]))

/** Response definition of each kind of entry. */
export const ENTRIES: Readonly<Record<EntryKind, EntryDefinition>> = {
  galgame: defineEntry('galgame', {
    schema: Galgame,
    fields: GALGAME_FIELDS,
    from: externalIdsSql('galgame', 'galgames'),
    tags: [{ name: 'key', likes: 1508 }],
    scores: [
      { source: 'vndb', score: 8.55, votes: 14_000, rank: null },
      { source: 'bangumi', score: 8.9, votes: 3_541, rank: 8 },
    ],
  }),
  light_novel: defineEntry('light_novel', {
    schema: LightNovel,
    fields: LIGHT_NOVEL_FIELDS,
    from: bangumiIdSql('light_novel', 'light_novels'),
    scores: [{ source: 'bangumi', score: 8.3, votes: 2_400, rank: 110 }],
  }),
  manga: defineEntry('manga', {
    schema: Manga,
    fields: MANGA_FIELDS,
    from: bangumiIdSql('manga', 'mangas'),
    scores: [{ source: 'bangumi', score: 8.9, votes: 6_000, rank: 12 }],
  }),
  person: defineEntry('person', { schema: Person, fields: PERSON_FIELDS }),
  producer: defineEntry('producer', {
    schema: Producer,
    fields: PRODUCER_FIELDS,
    from: externalIdsSql('producer', 'producers'),
  }),
  character: defineEntry('character', {
    schema: Character,
    fields: CHARACTER_FIELDS,
    from: externalIdsSql('character', 'characters'),
  }),
}
