import { CHARACTER_ROLES } from '../enums.ts'
import { selectOf } from '../fields/field.ts'
import { LIGHT_NOVEL_FIELDS, LIGHT_NOVEL_VOLUME_FIELDS } from '../fields/light-novel.ts'
import { WORK_ANSWER } from '../fields/shared.ts'
import { bangumiId, characterRef, personRef, producerRef } from '../sql-fragments.ts'
import { creditList, detailStatement, workList } from '../statements.ts'

const kind = 'light_novel'

/** §2.6 */
export const lightNovelDetail = detailStatement(
  kind,
  `${selectOf(LIGHT_NOVEL_FIELDS, 'light_novels')}, ${selectOf(WORK_ANSWER, 'work')}`,
  bangumiId(kind, 'light_novels'),
)

const byNumber = 'volume.volume_number nulls last, volume.id'

/** §2.6, by number, or the latest first. */
export const lightNovelVolumesSql = workList({
  kind,
  name: 'volumes',
  select: selectOf(LIGHT_NOVEL_VOLUME_FIELDS, 'volume'),
  from: 'light_novel_volumes volume',
  where: 'volume.light_novel_id = work.id',
  orderBy: byNumber,
  sorts: { volume_number: byNumber, recent: `volume.publication_date desc nulls last, ${byNumber}` },
})

/** §2.6 */
export const lightNovelPeopleSql = creditList({
  kind,
  list: 'people',
  target: 'person',
  select: `credit.relation, credit.note, ${personRef} as person`,
  filters: { relation: ['author', 'illustrator'] },
})

/** §2.6 */
export const lightNovelProducersSql = creditList({
  kind,
  list: 'producers',
  target: 'producer',
  select: `credit.relation, credit.note, ${producerRef} as producer`,
  filters: { relation: ['bunko', 'publisher'] },
})

/** §2.5 */
export const lightNovelCharactersSql = creditList({
  kind,
  list: 'characters',
  target: 'character',
  select: `credit.role, ${characterRef} as character`,
  filters: { role: CHARACTER_ROLES },
})
