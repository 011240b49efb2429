import { CHARACTER_ROLES } from '../enums.ts'
import { selectOf } from '../fields/field.ts'
import { MANGA_FIELDS, MANGA_VOLUME_FIELDS } from '../fields/manga.ts'
import { WORK_ANSWER } from '../fields/shared.ts'
import { bangumiId, characterRef, personRef, producerRef } from '../sql-fragments.ts'
import { creditList, detailStatement, workList } from '../statements.ts'

const kind = 'manga'

/** §2.7 */
export const mangaDetail = detailStatement(
  kind,
  `${selectOf(MANGA_FIELDS, 'mangas')}, ${selectOf(WORK_ANSWER, 'work')}`,
  bangumiId(kind, 'mangas'),
)

/** §2.7, by number. */
export const mangaVolumesSql = workList({
  kind,
  name: 'volumes',
  select: selectOf(MANGA_VOLUME_FIELDS, 'volume'),
  from: 'manga_volumes volume',
  where: 'volume.manga_id = work.id',
  orderBy: 'volume.volume_number nulls last, volume.id',
})

/** §2.7 */
export const mangaPeopleSql = creditList({
  kind,
  list: 'people',
  target: 'person',
  select: `credit.role, credit.note, ${personRef} as person`,
})

/** §2.7 */
export const mangaProducersSql = creditList({
  kind,
  list: 'producers',
  target: 'producer',
  select: `credit.role, credit.note, ${producerRef} as producer`,
})

/** §2.5 */
export const mangaCharactersSql = creditList({
  kind,
  list: 'characters',
  target: 'character',
  select: `credit.role, ${characterRef} as character`,
  filters: { role: CHARACTER_ROLES },
})
