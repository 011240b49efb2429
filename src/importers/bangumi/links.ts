import type { DumpReading } from '../dump/reading.ts'
import { GAME_RELATIONS, ORIGINAL_VOICES } from './archive-codes.ts'
import type { SubjectPlan } from './plan.ts'
import { FILES, readRows } from './read.ts'
import type { ActorRow, AppearanceRow, CreditRow, RelationRow } from './rows.ts'

/** What the relation files say about the planned works, by subject; image paths by the id of their entry. */
export type ArchiveLinks = {
  credits: Map<number, CreditRow[]>
  appearances: Map<number, AppearanceRow[]>
  actors: Map<number, ActorRow[]>
  relations: Map<number, RelationRow[]>
  covers: Map<number, string>
  personImages: Map<number, string>
  characterImages: Map<number, string>
}

/** Rows in file order, save for appearances, which have an order of their own. Other ends may not be in the dump. */
export async function readLinks(dump: DumpReading, { works, volumes }: SubjectPlan): Promise<ArchiveLinks> {
  const isWork = ({ subject }: { subject: number }) => works.has(subject)
  const images = await readImages(dump, (id) => works.has(id) || volumes.has(id))
  const appearances = await collect(readRows(dump, FILES.appearances), isWork)
  for (const rows of appearances.values()) rows.sort((a, b) => a.order - b.order)
  return {
    credits: await collect(readRows(dump, FILES.credits), isWork),
    appearances,
    actors: await collect(
      readRows(dump, FILES.actors),
      (row) => isWork(row) && ORIGINAL_VOICES.has(row.type),
    ),
    relations: await collect(
      readRows(dump, FILES.relations),
      (row) => works.get(row.subject) === 'galgame' && GAME_RELATIONS.has(row.type),
    ),
    ...images,
  }
}

async function collect<Row extends { subject: number }>(
  rows: AsyncIterable<Row>,
  isWanted: (row: Row) => boolean,
): Promise<Map<number, Row[]>> {
  const bySubject = new Map<number, Row[]>()
  for await (const row of rows) {
    if (!isWanted(row)) continue
    const collected = bySubject.get(row.subject)
    if (collected) collected.push(row)
    else bySubject.set(row.subject, [row])
  }
  return bySubject
}

type Images = Pick<ArchiveLinks, 'covers' | 'personImages' | 'characterImages'>

async function readImages(dump: DumpReading, isWanted: (subject: number) => boolean): Promise<Images> {
  const images: Images = { covers: new Map(), personImages: new Map(), characterImages: new Map() }
  for await (const { kind, id, path } of readRows(dump, FILES.images)) {
    if (path === '') continue
    if (kind === 'subject' && isWanted(id)) images.covers.set(id, path)
    if (kind === 'person') images.personImages.set(id, path)
    if (kind === 'character') images.characterImages.set(id, path)
  }
  return images
}
