import { exampleRef as ref, NAGISA } from '../example-parts.ts'
import { examplesOf } from '../fields/field.ts'
import { GALGAME_FIELDS } from '../fields/galgame.ts'
import { PRODUCER_FIELDS } from '../fields/producer.ts'
import { WORK_ANSWER } from '../fields/shared.ts'

/** Answers of the bundled sample, shortened; a test holds them against it. */

export const GALGAME_EXAMPLE = {
  ...examplesOf(GALGAME_FIELDS),
  ...examplesOf(WORK_ANSWER),
  tags: [{ name: 'key', likes: 1508 }],
}

export const GALGAME_STAFF_EXAMPLE = [
  { role: 'SCENARIO', person: ref(1, '麻枝准') },
  { role: 'CHARACTER_DESIGN', person: ref(4, '樋上いたる') },
]

export const GALGAME_CHARACTERS_EXAMPLE = [
  { role: 'MAIN', actors: [], character: ref(1, '岡崎朋也', '冈崎朋也') },
  { role: 'MAIN', actors: [ref(49, '中原麻衣')], character: NAGISA },
]

export const GALGAME_PRODUCERS_EXAMPLE = [
  { role: 'DEVELOPER', note: '', producer: ref(9, 'Key') },
  { role: 'LOCALIZER', note: '', producer: ref(19, 'Sekai Project') },
]

export const GALGAME_DEVELOPERS_EXAMPLE = [{ ...examplesOf(PRODUCER_FIELDS), trans_name: null, note: '' }]

export const GALGAME_RELATIONS_EXAMPLE = [
  {
    relation: 'SEQUEL',
    detail: 'SEQUEL',
    galgame: {
      id: 2,
      origin_title: '智代アフター ～It’s a Wonderful Life～',
      trans_title: null,
      nsfw: true,
      release_date: '2005-11-25T00:00:00.000Z',
      covers: [],
      name: '智代アフター ～It’s a Wonderful Life～',
      trans_name: null,
      image: null,
    },
  },
]
