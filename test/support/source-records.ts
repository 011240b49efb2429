import type {
  CharacterFields,
  GalgameFields,
  PersonFields,
} from '../../src/sources/records/record-fields.ts'
import type { GalgameLinks, LightNovelLinks } from '../../src/sources/records/record-links.ts'
import type { SameAs, Source, SourceRecord } from '../../src/sources/records/record.ts'

type VolumeFields = Extract<SourceRecord, { kind: 'light_novel_volume' }>['fields']
type SameAsList = SameAs[]

const galgame = (
  external_id: string,
  fields: Partial<GalgameFields> = {},
  links: Partial<GalgameLinks> = {},
  same_as: SameAsList = [],
): SourceRecord => ({
  kind: 'galgame',
  external_id,
  fields: { origin_title: external_id, ...fields },
  links,
  same_as,
})
const novel = (external_id: string, links: Partial<LightNovelLinks> = {}): SourceRecord => ({
  kind: 'light_novel',
  external_id,
  fields: { name: external_id },
  links,
})
const volume = (external_id: string, fields: VolumeFields = {}): SourceRecord => ({
  kind: 'light_novel_volume',
  external_id,
  fields: { name: external_id, ...fields },
})
const person = (
  external_id: string,
  fields: Partial<PersonFields> = {},
  same_as: SameAsList = [],
): SourceRecord => ({
  kind: 'person',
  external_id,
  fields: { name: external_id, ...fields },
  same_as,
})
const character = (external_id: string, fields: Partial<CharacterFields> = {}): SourceRecord => ({
  kind: 'character',
  external_id,
  fields: { name: external_id, ...fields },
})
const staff = (...refs: string[]): Partial<GalgameLinks> => ({
  staff: refs.map((ref) => ({ ref, role: 'SCENARIO' })),
})
const sameAs = (source: Source, external_id: string): SameAsList => [{ source, external_id }]

/** Returns records as the readers of dumps yield them, named by their ids unless fields override the name. */
export const sourceRecords = { galgame, novel, volume, person, character, staff, sameAs }
