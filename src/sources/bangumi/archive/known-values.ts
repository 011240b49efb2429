import type { KnownColumns, KnownValues } from '../../dump/known-values.ts'
import {
  GAME_RELATIONS,
  ORIGINAL_VOICES,
  OTHER_APPEARANCES,
  OTHER_SUBJECTS,
  PERSON_TYPE,
  ROLE_OF_APPEARANCE,
  SUBJECT_TYPE,
} from './archive-codes.ts'
import { BOOK_PEOPLE, BOOK_PRODUCERS, GAME_PRODUCERS, GAME_STAFF } from '../positions.ts'

const numbers = (...known: Iterable<number | null>[]): Set<string> =>
  new Set(known.flatMap((some) => [...some].map(String)))

/**
 * Returns the known codes within the given thousands. All other codes are accepted, because they belong to other media.
 */
function knownWithin(thousands: number[], known: ReadonlySet<string>): KnownValues {
  const isInThousand = (value: string) => thousands.includes(Math.trunc(Number(value) / 1000))
  return { has: (value) => known.has(value) || (Number(value) > 0 && !isInThousand(value)) }
}

/** Accepts any string, so that only rows without the key are counted. */
const ANY: KnownValues = { has: () => true }

/** Platforms of books (manga, novel, illustration, picture book, photo, official, other), then of games. */
const PLATFORMS = numbers([0, 1001, 1002, 1003, 1004, 1005, 1006], [4001, 4002, 4003, 4004, 4005])

/** Relations among books, then among games, that are not imported, such as adaptations and collaborations. */
const OTHER_RELATIONS = [1005, 1006, 1008, 1011, 1012, 1013, 1014, 1015, 1099, 4014, 4099]
const BOOK_RELATIONS = [1002, 1003, 1004, 1007, 1010]

const positions = (table: { position: number | null }[]) => table.map(({ position }) => position)

const OTHER_VOICES = [1, 2, 3, 5, 6]

/** Actors in older Archives have no `type`. They are all original voices. */
const VOICES: KnownValues = Object.assign(numbers(ORIGINAL_VOICES, OTHER_VOICES), {
  isOptional: true as const,
})

/** Required keys of each file, with the values that the importer knows. */
export const KNOWN_KEYS = {
  subjects: {
    name: ANY,
    infobox: ANY,
    type: numbers(Object.values(SUBJECT_TYPE), OTHER_SUBJECTS.keys()),
    platform: { has: (value) => value === '0' || knownWithin([1, 4], PLATFORMS).has(value) },
  },
  people: { name: ANY, type: numbers(Object.values(PERSON_TYPE)) },
  characters: { name: ANY },
  relations: {
    relation_type: knownWithin(
      [1, 4],
      numbers(BOOK_RELATIONS, GAME_RELATIONS.keys(), OTHER_RELATIONS),
    ),
  },
  credits: {
    position: knownWithin(
      [1, 2],
      numbers(...[GAME_STAFF, GAME_PRODUCERS, BOOK_PEOPLE, BOOK_PRODUCERS].map(positions)),
    ),
  },
  appearances: { type: numbers(ROLE_OF_APPEARANCE.keys(), OTHER_APPEARANCES) },
  actors: { type: VOICES },
} satisfies Record<string, KnownColumns>
