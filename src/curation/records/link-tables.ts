import type { WorkKind } from '../../catalog/kinds.ts'
import type { RecordKind } from '../../sources/records/record-kinds.ts'
import type { RecordLinks } from '../../sources/records/record-links.ts'

/** A list of a work: the table of its rows and the kind of its items. */
export type ListTable = {
  kind: WorkKind
  list: string
  table: string
  owner: string
  target: string
  targetKind: RecordKind
}

export type LinkTable = ListTable & {
  columns: string[]
  /** Items of a work with the same target and the same values in these columns are duplicates. */
  distinctBy: string[]
}

export const LINK_TABLES: LinkTable[] = [
  link('galgame', 'staff', 'person', ['role', 'credited_as'], ['role']),
  link('galgame', 'characters', 'character', ['role'], []),
  link('galgame', 'producers', 'producer', ['role', 'note'], ['role']),
  {
    ...link('galgame', 'relations', 'galgame', ['relation'], ['relation']),
    target: 'related_galgame_id',
  },
  link('light_novel', 'people', 'person', ['relation', 'note'], ['relation']),
  link('light_novel', 'producers', 'producer', ['relation', 'note'], ['relation']),
  link('light_novel', 'characters', 'character', ['role'], []),
  link('manga', 'people', 'person', ['role', 'note'], ['role']),
  link('manga', 'producers', 'producer', ['role', 'note'], ['role']),
  link('manga', 'characters', 'character', ['role'], []),
]

/** Value that replaces a null `note` where the API never returns null (§2.7, decision 0002). */
export const LINK_DEFAULTS: Record<string, string> = {
  'galgame_producers.note': '',
  'manga_people.note': '',
  'manga_producers.note': '',
}

type ListName<Kind extends WorkKind> = Exclude<keyof RecordLinks[Kind], 'volumes'> & string
type Item<List> = List extends (infer One)[] ? One : never

/** Voice actors have their own table (derive-links.ts). */
type ColumnOf<Kind extends WorkKind, List extends ListName<Kind>> = Exclude<
  keyof Item<RecordLinks[Kind][List]>,
  'ref' | 'actors'
> &
  string

function link<Kind extends WorkKind, List extends ListName<Kind>>(
  kind: Kind,
  list: List,
  targetKind: RecordKind,
  columns: ColumnOf<Kind, List>[],
  distinctBy: ColumnOf<Kind, List>[],
): LinkTable {
  return {
    kind,
    list,
    table: `${kind}_${list}`,
    owner: `${kind}_id`,
    target: `${targetKind}_id`,
    targetKind,
    columns,
    distinctBy,
  }
}
