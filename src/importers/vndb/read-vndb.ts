import type { DumpReading } from '../dump/reading.ts'
import type { SourceRecord } from '../record.ts'
import { readCharacters } from './characters.ts'
import { readShared } from './dump.ts'
import { readGalgames } from './galgames.ts'
import { readImages } from './images.ts'
import { readCredits, readPeople } from './people.ts'
import { readProducers } from './producers.ts'

/**
 * Everything a VNDB dump says: producers, people, characters, then the novels that name them.
 *
 * The four tables of entries are streamed; what belongs to them from other tables is held in memory while they
 * are, some hundred megabytes for all of VNDB. Columns that a dump of another age lacks are noted in the report, and
 * what they would have said stays unsaid.
 */
export async function* readVndb(dump: DumpReading): AsyncGenerator<SourceRecord> {
  const shared = await readShared(dump)
  yield* readProducers(dump, shared)
  yield* readPeople(dump, shared)
  const images = await readImages(dump)
  yield* readCharacters(dump, shared, images)
  yield* readGalgames(dump, shared, images, await readCredits(dump))
}
