import { sql } from 'kysely'
import type { Database } from '../../../db/database.ts'
import { loadTemporaryTable } from '../../../db/temporary-table.ts'
import { streamRows } from '../../dump/tables/row-streams.ts'
import { VOLUME_RELATIONS } from '../archive/archive-codes.ts'
import { parseKnownVolumeTitle, plainTitle } from './volume-title.ts'

type Volume = { id: number; title: string; is_main: boolean }

/**
 * Creates `dump_numbers (volume, number, label)` from the titles of the placed volumes and of their series.
 *
 * A first volume often has the title of the series and no number. It is volume 1 if the series has a volume 2 and no
 * other volume 1.
 */
export async function numberVolumes(trx: Database): Promise<void> {
  const works = streamRows<{ title: string; volumes: Volume[] }>(
    trx,
    'volumes_of_works',
    sql`
      select
        series.title,
        json_agg(
          json_build_object('id', volume.id, 'title', volume.title, 'is_main', place.relation = ${VOLUME_RELATIONS.volume})
          order by volume.id
        ) as volumes
      from dump_places place
      join dump_books series on series.id = place.work
      join dump_books volume on volume.id = place.volume
      group by series.id, series.title
      order by series.id`,
  )
  await loadTemporaryTable(
    trx,
    'dump_numbers',
    { volume: 'bigint', number: 'double precision', label: 'text' },
    works,
    ({ title, volumes }) =>
      numbersOf(title, volumes).map(({ id, number, label }) => [id, number, label]),
  )
  await sql`alter table dump_numbers add primary key (volume)`.execute(trx)
}

function numbersOf(series: string, volumes: Volume[]) {
  const numbered = volumes.map(({ id, title, is_main }) => {
    const { number, label } = parseKnownVolumeTitle(title, series)
    return { id, number, label, isOfMain: is_main, hasTitleOfSeries: title === plainTitle(series) }
  })
  const main = numbered.filter(({ isOfMain }) => isOfMain)
  const unnumbered = main.filter(
    ({ number, hasTitleOfSeries }) => number === null && hasTitleOfSeries,
  )
  const hasNumber = (expected: number) => main.some(({ number }) => number === expected)
  const [first] = unnumbered
  if (first && unnumbered.length === 1 && hasNumber(2) && !hasNumber(1)) first.number = 1
  return numbered
}
