import { exampleRef as ref, WORK_EXAMPLE } from '../example-parts.ts'

/** Answers of the bundled sample, shortened; a test holds them against it. */

export const LIGHT_NOVEL_EXAMPLE = {
  id: 138,
  name: '涼宮ハルヒシリーズ',
  name_cn: '凉宫春日系列',
  other_names: ['Haruhi Suzumiya'],
  covers: [],
  publication_date: null,
  publication_date_text: null,
  novel_status: 'SERIALIZING',
  total_volumes: 13,
  summary: null,
  summary_cn: null,
  external_links: [],
  bangumi_id: 900_000_201,
  bangumi_book_id: 900_000_201,
  ranobedb_id: null,
  tags: [],
  ...WORK_EXAMPLE,
}

export const LIGHT_NOVEL_VOLUMES_EXAMPLE = [
  {
    id: 112,
    volume_type: 'MAIN',
    volume_number: null,
    volume_label: null,
    name: '涼宮ハルヒの直観',
    name_cn: '凉宫春日的直观',
    covers: [],
    publication_date: '2020-11-25T00:00:00.000Z',
    publication_date_text: null,
    relation: '单行本',
    isbn: null,
    isbns: [],
    page_count: null,
    price_amount: null,
    price_currency: null,
  },
]

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
