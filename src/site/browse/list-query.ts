import { SORTS, type SortName } from '../../browse/lists/sorts.ts'
import type { EntryKind } from '../../catalog/kinds.ts'

/** How the entries of a list are shown. */
export type ListView = 'grid' | 'table'

/** What the address of a list page says beside its filters. */
export type ListAddress = {
  /** Of all that was sent and is not empty. */
  parameters: URLSearchParams
  view: ListView
  sort: SortName
  /** From 1. */
  page: number
}

/** Entries of a page: rows of two, three, five and six are full. */
export const PAGE_SIZES: Record<ListView, number> = { grid: 30, table: 50 }

/** Not of the list itself. */
const OF_PAGES = new Set(['lang', 'theme', 'ui_locales', 'view'])

/** What a form has sent: fields that were left empty are in it, and mean nothing. */
export function readListAddress(kind: EntryKind | undefined, query: unknown): ListAddress {
  const parameters = new URLSearchParams()
  for (const [name, sent] of Object.entries(query ?? {}))
    for (const value of [sent].flat().map(String)) if (value !== '') parameters.append(name, value)
  const [usual = 'popularity', ...others] = SORTS[kind ?? 'galgame']
  const sort = [usual, ...others].find((name) => name === parameters.get('sort')) ?? usual
  const view = parameters.get('view') === 'table' ? 'table' : 'grid'
  const page = Number(parameters.get('page') ?? 1)
  for (const name of ['lang', 'theme', 'ui_locales']) parameters.delete(name)
  return { parameters, view, sort, page }
}

/** The parameters as the list of the API takes them: several values of a name in an array. */
export function listParameters({
  parameters,
  view,
}: ListAddress): Record<string, string | string[]> {
  const names = [...new Set(parameters.keys())].filter((name) => !OF_PAGES.has(name))
  const read = names.map((name) => {
    const values = parameters.getAll(name)
    return [name, values.length > 1 ? values : (values[0] ?? '')]
  })
  // as: pairs of the above
  return {
    ...(Object.fromEntries(read) as Record<string, string | string[]>),
    page_size: String(PAGE_SIZES[view]),
  }
}
