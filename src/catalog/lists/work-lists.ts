import type { WorkKind } from '../kinds.ts'
import type { ListDefinition } from '../entries/list-routes.ts'
import { GALGAME_LISTS } from './galgame.ts'
import { LIGHT_NOVEL_LISTS } from './light-novel.ts'
import { MANGA_LISTS } from './manga.ts'

/** Lists of each kind of work, keyed by the last segment of their paths. */
export const WORK_LISTS: Readonly<Record<WorkKind, Readonly<Record<string, ListDefinition>>>> = {
  galgame: GALGAME_LISTS,
  light_novel: LIGHT_NOVEL_LISTS,
  manga: MANGA_LISTS,
}
