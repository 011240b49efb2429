import type { EntryKind } from '../../catalog/kinds.ts'

/** Where ids may come from: sites whose entries are loaded, sites that these name, and Steam. */
export const LOOKUP_SOURCES = ['vndb', 'bangumi', 'ranobedb', 'steam', 'mal', 'anilist'] as const
export type LookupSource = (typeof LOOKUP_SOURCES)[number]

/** What an id may be of: entries, and volumes, which stand for their work. */
export const LOOKUP_KINDS = [
  'galgame',
  'light_novel',
  'light_novel_volume',
  'manga',
  'manga_volume',
  'person',
  'producer',
  'character',
] as const satisfies (EntryKind | 'light_novel_volume' | 'manga_volume')[]
export type LookupKind = (typeof LOOKUP_KINDS)[number]

/** An id of a source as `source_records` has it. */
export type OutsideKey = { kind: LookupKind; externalId: string }

const NUMBER = /^[1-9]\d{0,14}$/
const OF_VNDB = /^([vcps])?([1-9]\d{0,14})$/i
const KIND_OF_PREFIX: Record<string, LookupKind> = {
  v: 'galgame',
  c: 'character',
  p: 'producer',
  s: 'person',
}

/** What Bangumi calls a subject is a work or a volume of one: a kind that is asked for stands for both. */
const SUBJECTS: LookupKind[] = ['galgame', 'light_novel', 'light_novel_volume', 'manga', 'manga_volume']

type Space = {
  /** What its ids look like, for who sent another. */
  form: string
  /** What an id is of where the request does not say. */
  usual: LookupKind[]
  /** Whose ids the source has. */
  kinds: readonly LookupKind[]
}

export const SPACES: Record<LookupSource, Space> = {
  vndb: {
    form: 'v17, c7, p24 or s81; a number alone is of a galgame unless type says otherwise',
    usual: ['galgame'],
    kinds: ['galgame', 'character', 'producer', 'person'],
  },
  bangumi: {
    form: 'a number: of a subject, or with type of a person, producer or character',
    usual: SUBJECTS,
    kinds: LOOKUP_KINDS,
  },
  ranobedb: {
    form: 'a number: of a series, or with type of a light_novel_volume, person or producer',
    usual: ['light_novel'],
    kinds: ['light_novel', 'light_novel_volume', 'person', 'producer'],
  },
  steam: { form: 'the number of an app', usual: ['galgame'], kinds: ['galgame'] },
  mal: {
    form: 'the number of a manga or novel',
    usual: ['light_novel', 'manga'],
    kinds: ['light_novel', 'manga'],
  },
  anilist: {
    form: 'the number of a manga or novel',
    usual: ['light_novel', 'manga'],
    kinds: ['light_novel', 'manga'],
  },
}

/**
 * What an id of a source may be of.
 *
 * @param kinds those the request names; undefined: what is usual there
 * @returns undefined when it is no id of that source
 */
export function keysOf(
  source: LookupSource,
  id: string,
  kinds: readonly LookupKind[] | undefined,
): OutsideKey[] | undefined {
  if (source === 'vndb') {
    const [whole, prefix, number] = OF_VNDB.exec(id) ?? []
    if (whole === undefined) return undefined
    return Object.entries(KIND_OF_PREFIX)
      .filter(([letter, kind]) =>
        prefix === undefined
          ? (kinds ?? SPACES.vndb.usual).includes(kind)
          : letter === prefix.toLowerCase() && (kinds ?? [kind]).includes(kind),
      )
      .map(([letter, kind]) => ({ kind, externalId: `${letter}${number}` }))
  }
  if (!NUMBER.test(id)) return undefined
  const { usual, kinds: there } = SPACES[source]
  const asked = kinds?.flatMap((kind) => (source === 'bangumi' ? withVolumes(kind) : [kind])) ?? usual
  return [...new Set(asked)].filter((kind) => there.includes(kind)).map((kind) => ({ kind, externalId: id }))
}

function withVolumes(kind: LookupKind): LookupKind[] {
  if (kind === 'light_novel') return ['light_novel', 'light_novel_volume']
  if (kind === 'manga') return ['manga', 'manga_volume']
  return [kind]
}
