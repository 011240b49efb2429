import { Type, type TObject } from 'typebox'
import { DEV_STATUSES, PUBLICATION_STATUSES } from '../../catalog/enums.ts'
import type { EntryKind } from '../../catalog/kinds.ts'
import type { Fault, RequestFault } from '../../http/wire/errors/fault.ts'
import { enumFault } from '../../http/wire/errors/refusals.ts'
import { Id } from '../../http/wire/schemas.ts'
import { isId } from '../../http/wire/requests/validation.ts'
import type { FacetName } from '../facets.ts'

/** Values of one filter; an entry with any of them passes. */
export type Filter = { name: FacetName; values: string[] }

/** Of one filter. */
const MAX_VALUES = 20
const MAX_TEXT = 1_000

type Rule = {
  schema: object
  /** What is wrong with a value; undefined when nothing is. */
  fault(value: string): Fault | undefined
  /** Values have commas of their own. */
  isWhole?: boolean
}

const text = (description: string, isWhole = false): Rule => ({
  schema: { ...Type.String(), description },
  fault: (value) =>
    value === '' || value.length > MAX_TEXT || value.includes('\0')
      ? { code: 'filter.text', params: { max: MAX_TEXT } }
      : undefined,
  isWhole,
})
const id: Rule = { schema: Id, fault: (value) => (isId(value) ? undefined : { code: 'filter.id' }) }
const oneOf = (values: readonly string[]): Rule => ({
  schema: { type: 'string', enum: [...values] },
  fault: (value) => (values.includes(value) ? undefined : enumFault(values)),
})
const year: Rule = {
  schema: Type.Integer({ minimum: 1000, maximum: 9999 }),
  fault: (value) => (/^[1-9]\d{3}$/.test(value) ? undefined : { code: 'filter.year' }),
}

const OF_WORKS = {
  tag: text(
    'The name of a tag; names have commas, so several are sent as several parameters',
    true,
  ),
  producer: id,
  person: id,
  character: id,
}
const OF_BOOKS = { year, status: oneOf(PUBLICATION_STATUSES), ...OF_WORKS }

/** Which filters each kind has. */
const RULES: Record<EntryKind, Partial<Record<FacetName, Rule>>> = {
  galgame: {
    year,
    status: oneOf(DEV_STATUSES),
    platform: text("VNDB's code: `win`, `swi`"),
    language: text('BCP 47: `ja`'),
    ...OF_WORKS,
  },
  light_novel: OF_BOOKS,
  manga: OF_BOOKS,
  person: {},
  producer: { year },
  character: {},
}

/** Of any kind: one that a kind has not is refused there, since an answer without it would be mistaken for a filtered one. */
const ALL_FILTERS: readonly string[] = [
  ...new Set(Object.values(RULES).flatMap((rules) => Object.keys(rules))),
  'min_score',
  'nsfw',
]

/** The filters that take several values, as the document shows them. */
export function filterProperties(kind: EntryKind): TObject['properties'] {
  return Object.fromEntries(
    rulesOf(kind).map(([name, { schema, isWhole }]) => [
      name,
      Type.Optional(
        Type.Unsafe({
          type: 'array',
          items: schema,
          maxItems: MAX_VALUES,
          description: isWhole
            ? 'The parameter several times: any of them'
            : 'Separated by commas, or the parameter several times: any of them',
        }),
      ),
    ]),
  )
}

// as: the keys of that very table
const rulesOf = (kind: EntryKind) => Object.entries(RULES[kind]) as [FacetName, Rule][]

/** The filters of a query, with everything that is wrong in them. */
export function readFilters(
  kind: EntryKind,
  query: Record<string, unknown>,
  others: readonly string[],
) {
  const faults: RequestFault[] = []
  const filters: Filter[] = []
  for (const [name, rule] of rulesOf(kind)) {
    const sent = query[name]
    if (sent === undefined) continue
    const values = [...new Set(valuesOf(sent, rule))]
    const wrong: Fault | undefined =
      values.length > MAX_VALUES
        ? { code: 'filter.too_many', params: { count: values.length, max: MAX_VALUES } }
        : values.map((value) => rule.fault(value)).find((fault) => fault !== undefined)
    if (wrong) faults.push({ field: name, kind: 'filter', ...wrong })
    else filters.push({ name, values: values.toSorted() })
  }
  const known = new Set<string>([...rulesOf(kind).map(([name]) => name), ...others])
  for (const name of ALL_FILTERS)
    if (query[name] !== undefined && !known.has(name))
      faults.push({ field: name, kind: 'filter', code: 'filter.unknown' })
  return { filters, faults }
}

const valuesOf = (sent: unknown, { isWhole = false }: Rule): string[] =>
  [sent]
    .flat()
    .map(String)
    .flatMap((value) => (isWhole ? [value] : value.split(',')))
