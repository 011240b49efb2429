import { exampleRef as ref } from '../example-parts.ts'
import { examplesOf } from '../fields/field.ts'
import { LIGHT_NOVEL_FIELDS, LIGHT_NOVEL_VOLUME_FIELDS } from '../fields/light-novel.ts'
import { WORK_ANSWER } from '../fields/shared.ts'

/** Answers of the bundled sample, shortened; a test holds them against it. */

export const LIGHT_NOVEL_EXAMPLE = { ...examplesOf(LIGHT_NOVEL_FIELDS), ...examplesOf(WORK_ANSWER) }

export const LIGHT_NOVEL_VOLUMES_EXAMPLE = [examplesOf(LIGHT_NOVEL_VOLUME_FIELDS)]

export const LIGHT_NOVEL_PEOPLE_EXAMPLE = [
  { relation: 'author', note: null, person: ref(477, '谷川流') },
  { relation: 'illustrator', note: null, person: ref(478, 'いとうのいぢ') },
]

export const LIGHT_NOVEL_PRODUCERS_EXAMPLE = [
  { relation: 'publisher', note: null, producer: ref(128, '角川書店') },
  { relation: 'bunko', note: null, producer: ref(131, '角川スニーカー文庫') },
]

export const LIGHT_NOVEL_CHARACTERS_EXAMPLE = [
  { role: 'MAIN', character: ref(168, '涼宮ハルヒ', '凉宫春日') },
]
