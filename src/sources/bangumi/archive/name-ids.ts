import type { SourceRecord } from '../../records/record.ts'
import { distinctBy } from '../../../kernel/distinct-by.ts'
import type { NamedIds } from './name-book.ts'

/** Puts ids in the place of names in what a work says of who made it; one who is in a role twice stays there once, the first time. */
export function putIds(record: SourceRecord, { people, producers }: NamedIds): void {
  if (record.kind === 'galgame' && record.links) {
    const { links } = record
    if (links.staff) links.staff = withIds(links.staff, people)
    if (links.producers) links.producers = withIds(links.producers, producers)
  }
  if (record.kind === 'light_novel' && record.links) {
    const { links } = record
    if (links.people) links.people = withIds(links.people, people)
    if (links.producers) links.producers = withIds(links.producers, producers)
  }
  if (record.kind === 'manga' && record.links) {
    const { links } = record
    if (links.people) links.people = withIds(links.people, people)
    if (links.producers) links.producers = withIds(links.producers, producers)
  }
}

type Credit = { ref: string; role?: string | null; relation?: string }

const withIds = <Link extends Credit>(credits: Link[], ids: ReadonlyMap<string, string>): Link[] =>
  distinctBy(
    credits.map((credit) => ({ ...credit, ref: ids.get(credit.ref) ?? credit.ref })),
    ({ ref, role, relation }) => `${ref} ${role ?? relation}`,
  )
