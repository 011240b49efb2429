import { LIGHT_NOVELS_CONTRACT, MANGAS_CONTRACT } from './books.ts'
import { GALGAMES_CONTRACT } from './galgames.ts'
import { CHARACTERS_CONTRACT, PEOPLE_CONTRACT, PRODUCERS_CONTRACT } from './individuals.ts'
import type { ContractOfKind } from './types.ts'

/**
 * The catalog's answers as client programs read them, by the segment of the path: §2.2–2.10 of docs/interface.md and
 * decision 0002, written from those pages alone. Nothing here may come from src/, or the service would be held against
 * itself. More fields are allowed.
 */
export const CATALOG_CONTRACT: Record<string, ContractOfKind> = {
  galgames: GALGAMES_CONTRACT,
  'light-novels': LIGHT_NOVELS_CONTRACT,
  mangas: MANGAS_CONTRACT,
  people: PEOPLE_CONTRACT,
  producers: PRODUCERS_CONTRACT,
  characters: CHARACTERS_CONTRACT,
}
