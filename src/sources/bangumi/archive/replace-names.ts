import type { SourceRecord } from '../../records/record.ts'
import { distinctBy } from '../../../kernel/distinct-by.ts'
import type { NamedIds } from './credited-names.ts'

/** Replaces names with ids in a work's credits. If a person then has a role twice, only the first credit is kept. */
export function replaceNames(record: SourceRecord, { people, producers }: NamedIds): void {
  // as: the lists of credits, which the kinds of works have in common
  const links = (record.links ?? {}) as Partial<Record<'staff' | 'people' | 'producers', Credit[]>>
  for (const [list, ids] of [
    ['staff', people],
    ['people', people],
    ['producers', producers],
  ] as const)
    if (links[list]) links[list] = withIds(links[list], ids)
}

type Credit = { ref: string; role?: string | null; relation?: string }

const withIds = <Link extends Credit>(credits: Link[], ids: ReadonlyMap<string, string>): Link[] =>
  distinctBy(
    credits.map((credit) => ({ ...credit, ref: ids.get(credit.ref) ?? credit.ref })),
    ({ ref, role, relation }) => `${ref} ${role ?? relation}`,
  )
