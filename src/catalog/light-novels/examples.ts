import { exampleCover as cover, exampleRef as ref, WORK_EXAMPLE } from '../example-parts.ts'

/** Answers of the bundled sample, shortened; a test holds them against it. */

export const LIGHT_NOVEL_EXAMPLE = {
  id: 99,
  name: 'カゲロウデイズ',
  name_cn: null,
  other_names: ['Kagerou Daze'],
  covers: [cover('https://images.ranobedb.org/57hSQdE4xHVCJehw.jpg', 240, 339)],
  publication_date: '2012-05-24T00:00:00.000Z',
  novel_status: 'FINISHED',
  total_volumes: 4,
  summary: null,
  summary_cn: null,
  tags: [],
  ...WORK_EXAMPLE,
}

export const LIGHT_NOVEL_VOLUMES_EXAMPLE = [
  {
    id: 97,
    volume_type: 'MAIN',
    volume_number: 1,
    volume_label: null,
    name: 'カゲロウデイズ -in a daze-',
    name_cn: null,
    covers: [cover('https://images.ranobedb.org/57hSQdE4xHVCJehw.jpg', 240, 339)],
    publication_date: '2012-05-24T00:00:00.000Z',
    relation: 'main',
  },
]

export const LIGHT_NOVEL_PEOPLE_EXAMPLE = [
  { relation: 'author', note: null, person: ref(283, 'じん(自然の敵P)') },
  { relation: 'illustrator', note: null, person: ref(284, 'しづ') },
]

export const LIGHT_NOVEL_PRODUCERS_EXAMPLE = [
  { relation: 'publisher', note: null, producer: ref(35, 'KADOKAWA') },
  { relation: 'bunko', note: null, producer: ref(59, 'KCG文庫') },
]

export const LIGHT_NOVEL_CHARACTERS_EXAMPLE = [
  { role: 'MAIN', character: ref(150, '涼宮ハルヒ', '凉宫春日') },
]
