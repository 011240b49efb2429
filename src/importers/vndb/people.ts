import { groupRows, otherNames, readTable } from '../copy-text.ts'
import type { DumpReading } from '../dump/reading.ts'
import type { SourceRecord } from '../record.ts'
import { GENDER_OF_CODE } from './codes.ts'
import type { Shared } from './dump.ts'
import { outsideIdsOf, extlinkLabels, readExtlinksOf } from './extlinks.ts'
import { plainText } from './plain-text.ts'

/** The names of staff: credits name a person by `aid`, one of the names. */
export type Credits = ReadonlyMap<string, { ref: string; credited_as: string | null }>

// In earlier dumps staff.main is called aid.
const MAIN_NAME = ['main', 'aid'] as const
const mainName = (row: { main?: string | null; aid?: string | null }) => row.main ?? row.aid ?? ''

/** Who is meant by each `aid`, and under which name; null where that is the person's main name. */
export async function readCredits(dump: DumpReading): Promise<Credits> {
  const main = new Set<string>()
  for await (const row of readTable(dump, 'staff', ['id'], MAIN_NAME)) main.add(mainName(row))
  const credits = new Map<string, { ref: string; credited_as: string | null }>()
  for await (const { id, aid, name } of readTable(dump, 'staff_alias', ['id', 'aid', 'name'])) {
    if (id && aid) credits.set(aid, { ref: id, credited_as: main.has(aid) ? null : name })
  }
  return credits
}

/** Everyone who made a novel or gave a voice, under their main name; descriptions are English. */
export async function* readPeople(
  dump: DumpReading,
  { extlinks, times }: Shared,
): AsyncGenerator<SourceRecord> {
  const links = await readExtlinksOf(dump, 'staff_extlinks', extlinks)
  const names = await groupRows(
    readTable(dump, 'staff_alias', ['id', 'aid', 'name', 'latin']),
    ({ id }) => id,
    (alias) => alias,
  )

  for await (const row of readTable(dump, 'staff', ['id', 'gender', 'description'], MAIN_NAME)) {
    const all = names.get(row.id ?? '') ?? []
    const main = all.find(({ aid }) => aid === mainName(row)) ?? all[0]
    if (!row.id || !main?.name) {
      dump.report.note('a person without a name is left out', row.id ?? '')
      continue
    }
    yield {
      kind: 'person',
      external_id: row.id,
      same_as: outsideIdsOf(links.get(row.id)),
      fields: {
        name: main.name,
        aliases: otherNames([main.name], [main.latin, ...all.flatMap(({ name, latin }) => [name, latin])]),
        intro: plainText(row.description),
        gender: GENDER_OF_CODE[row.gender ?? ''],
        labels: extlinkLabels(links.get(row.id)),
        ...times.get(row.id),
      },
    }
  }
}
