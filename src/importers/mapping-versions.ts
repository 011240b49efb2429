import type { Source } from './record.ts'

/**
 * Versions of what is made of a source's dump. Who changes the records that a reader makes raises its number: `update` then
 * imports a dump again which it has imported with another version.
 */
export const MAPPING_VERSIONS: Partial<Record<Source, number>> = { bangumi: 6, ranobedb: 3, vndb: 3 }
