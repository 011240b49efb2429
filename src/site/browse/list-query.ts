import { SORTS, type SortName } from '../../browse/lists/sorts.ts'
import type { EntryKind } from '../../catalog/kinds.ts'

export type ListView = 'grid' | 'table'

/** Query of a list page. */
export type ListPageQuery = {
  /** All parameters that are not empty. */
  parameters: URLSearchParams
  view: ListView
  sort: SortName
  /** Page number, starting at 1. */
  page: number
}

/** Number of entries per page. 30 fills rows of two, three, five and six. */
export const PAGE_SIZES: Record<ListView, number> = { grid: 30, table: 50 }

/** Parameters that the list API does not have: how the page looks, and its own filters. */
const PAGE_PARAMETERS = new Set([
  'lang',
  'theme',
  'titles',
  'ui_locales',
  'view',
  'from',
  'to',
  'without',
  'starts',
  'role',
])

/** Parameters that change how entries are shown, but not which ones. */
const VIEW_PARAMETERS = new Set(['page', 'sort', 'view'])

export const isFiltered = ({ parameters }: ListPageQuery): boolean =>
  [...parameters.keys()].some((name) => !VIEW_PARAMETERS.has(name))

/** Returns the URL without empty parameters, which a form sends for fields left empty; undefined if it has none. */
export function urlWithoutEmptyFields(url: string): string | undefined {
  const [path = '', query = ''] = url.split('?', 2)
  const sent = [...new URLSearchParams(query)]
  const kept = sent.filter(([, value]) => value !== '')
  if (kept.length === sent.length) return undefined
  return kept.length === 0 ? path : `${path}?${new URLSearchParams(kept).toString()}`
}

/** Reads the query of a list page. Empty form fields are ignored. */
export function readListPageQuery(kind: EntryKind | undefined, query: unknown): ListPageQuery {
  const parameters = new URLSearchParams()
  for (const [name, sent] of Object.entries(query ?? {}))
    for (const value of [sent].flat().map(String)) if (value !== '') parameters.append(name, value)
  const [usual = 'popularity', ...others] = SORTS[kind ?? 'galgame']
  const sort = [usual, ...others].find((name) => name === parameters.get('sort')) ?? usual
  const view = parameters.get('view') === 'table' ? 'table' : 'grid'
  const page = Number(parameters.get('page') ?? 1)
  for (const name of ['lang', 'theme', 'titles', 'ui_locales']) parameters.delete(name)
  return { parameters, view, sort, page }
}

/** Returns the parameters in the form of the list API: several values of a name as an array. */
export function listParameters({
  parameters,
  view,
}: ListPageQuery): Record<string, string | string[]> {
  const names = [...new Set(parameters.keys())].filter((name) => !PAGE_PARAMETERS.has(name))
  const read = names.map((name) => {
    const values = parameters.getAll(name)
    return [name, values.length > 1 ? values : (values[0] ?? '')]
  })
  // as: the pairs built above
  return {
    ...(Object.fromEntries(read) as Record<string, string | string[]>),
    page_size: String(PAGE_SIZES[view]),
  }
}
