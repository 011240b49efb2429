import { LIGHT_NOVELS_CONTRACT, MANGAS_CONTRACT } from './books.ts'
import { GALGAMES_CONTRACT } from './galgames.ts'
import { CHARACTERS_CONTRACT, PEOPLE_CONTRACT, PRODUCERS_CONTRACT } from './individuals.ts'
import type { ContractOfKind } from './types.ts'

/**
 * Schemas of the catalog's responses as clients read them, keyed by path segment: §2.2–2.10 of docs/interface.md and
 * decision 0002, written from those documents alone. Nothing here may come from src/, or the service would be tested
 * against itself. Additional fields are allowed.
 */
export const CATALOG_CONTRACT: Record<string, ContractOfKind> = {
  galgames: GALGAMES_CONTRACT,
  'light-novels': LIGHT_NOVELS_CONTRACT,
  mangas: MANGAS_CONTRACT,
  people: PEOPLE_CONTRACT,
  producers: PRODUCERS_CONTRACT,
  characters: CHARACTERS_CONTRACT,
}
