import { Type, type TObject } from 'typebox'
import { DEV_STATUSES, PUBLICATION_STATUSES } from '../../catalog/enums.ts'
import type { EntryKind } from '../../catalog/kinds.ts'
import type { Fault, RequestFault } from '../../http/wire/errors/fault.ts'
import { enumFault } from '../../http/wire/errors/refusals.ts'
import { Id } from '../../http/wire/schemas.ts'
import { isId } from '../../http/wire/requests/validation.ts'
import type { FacetName } from '../facets.ts'

/** Values of a filter. An entry matches the filter if it has any of the values. */
export type Filter = { name: FacetName; values: string[] }

/** Maximum number of values per filter. */
const MAX_VALUES = 20
const MAX_TEXT_LENGTH = 1_000

type Rule = {
  schema: object
  /** Returns the fault in a value, or undefined if the value is valid. */
  fault(value: string): Fault | undefined
  /** True if values may contain commas. */
  allowsCommas?: boolean
}

const text = (description: string, allowsCommas = false): Rule => ({
  schema: { ...Type.String(), description },
  fault: (value) =>
    value === '' || value.length > MAX_TEXT_LENGTH || value.includes('\0')
      ? { code: 'filter.text', params: { max: MAX_TEXT_LENGTH } }
      : undefined,
  allowsCommas,
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

const WORK_FILTERS = {
  tag: text(
    'Name of a tag. Names may contain commas, so several tags are sent as a repeated parameter.',
    true,
  ),
  producer: id,
  person: id,
  character: id,
}
const BOOK_FILTERS = { year, status: oneOf(PUBLICATION_STATUSES), ...WORK_FILTERS }

/** Filters of each kind. */
const RULES: Record<EntryKind, Partial<Record<FacetName, Rule>>> = {
  galgame: {
    year,
    status: oneOf(DEV_STATUSES),
    platform: text("VNDB's platform code: `win`, `swi`"),
    language: text('BCP 47: `ja`'),
    ...WORK_FILTERS,
  },
  light_novel: BOOK_FILTERS,
  manga: BOOK_FILTERS,
  person: {},
  producer: { year },
  character: {},
}

/**
 * Filters of any kind. A filter that the requested kind lacks is rejected, because an unfiltered response could be
 * mistaken for a filtered one.
 */
const ALL_FILTERS: readonly string[] = [
  ...new Set(Object.values(RULES).flatMap((rules) => Object.keys(rules))),
  'min_score',
  'nsfw',
]

/** Returns the query parameters of the filters for the OpenAPI document. */
export function filterProperties(kind: EntryKind): TObject['properties'] {
  return Object.fromEntries(
    rulesOf(kind).map(([name, { schema, allowsCommas }]) => [
      name,
      Type.Optional(
        Type.Unsafe({
          type: 'array',
          items: schema,
          maxItems: MAX_VALUES,
          description: allowsCommas
            ? 'Repeat the parameter for several values; any of them matches'
            : 'Separated by commas, or as a repeated parameter; any of the values matches',
        }),
      ),
    ]),
  )
}

// as: the keys of the table above
const rulesOf = (kind: EntryKind) => Object.entries(RULES[kind]) as [FacetName, Rule][]

/** Parses the filters in a query and collects all faults. */
export function parseFilters(
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
    const wrong = faultIn(values, rule)
    if (wrong) faults.push({ field: name, kind: 'filter', ...wrong })
    else filters.push({ name, values: values.toSorted() })
  }
  const known = new Set<string>([...rulesOf(kind).map(([name]) => name), ...others])
  for (const name of ALL_FILTERS)
    if (query[name] !== undefined && !known.has(name))
      faults.push({ field: name, kind: 'filter', code: 'filter.unknown' })
  return { filters, faults }
}

const faultIn = (values: string[], rule: Rule): Fault | undefined =>
  values.length > MAX_VALUES
    ? { code: 'filter.too_many', params: { count: values.length, max: MAX_VALUES } }
    : values.map((value) => rule.fault(value)).find((fault) => fault !== undefined)

/** Returns the faults in a parameter of a page whose values are those of a filter. */
export function findFilterFaults(
  kind: EntryKind,
  field: string,
  name: FacetName,
  values: string[],
): RequestFault[] {
  if (values.length === 0) return []
  const rule = RULES[kind][name]
  const fault: Fault | undefined = rule ? faultIn(values, rule) : { code: 'filter.unknown' }
  return fault ? [{ field, kind: 'filter', ...fault }] : []
}

const valuesOf = (sent: unknown, { allowsCommas = false }: Rule): string[] =>
  [sent]
    .flat()
    .map(String)
    .flatMap((value) => (allowsCommas ? [value] : value.split(',')))
