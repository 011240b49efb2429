import { exampleRef as ref, WORK_EXAMPLE } from '../example-parts.ts'

/** Answers of the bundled sample, shortened; a test holds them against it. */

export const MANGA_EXAMPLE = {
  id: 137,
  name: '鋼の錬金術師',
  name_cn: '钢之炼金术师',
  other_names: ['Fullmetal Alchemist', 'ハガレン'],
  covers: [],
  serial_status: 'FINISHED',
  reading_mode: 'PAGED_RTL',
  origin_country: 'JP',
  audience: 'SHONEN',
  latest_chapter_at: null,
  publication_date: '2001-07-12T00:00:00.000Z',
  publication_date_text: null,
  publication_end_date: '2010-06-11T00:00:00.000Z',
  publication_end_date_text: null,
  homepage: null,
  isbn: null,
  price_amount: null,
  price_currency: null,
  pages: null,
  editions: [],
  summary: null,
  summary_cn: null,
  external_links: [],
  bangumi_id: 900_000_001,
  bangumi_subject_id: 900_000_001,
  ranobedb_id: null,
  tags: [],
  ...WORK_EXAMPLE,
}

export const MANGA_VOLUMES_EXAMPLE = [
  {
    id: 1,
    volume_number: 1,
    name: '鋼の錬金術師 (1)',
    name_cn: '钢之炼金术师 1',
    cover: null,
    isbn: null,
    publication_date: '2002-01-22T00:00:00.000Z',
    publication_date_text: null,
    page_count: null,
  },
]

export const MANGA_PEOPLE_EXAMPLE = [{ role: 'AUTHOR', note: '', person: ref(476, '荒川弘') }]

export const MANGA_PRODUCERS_EXAMPLE = [
  { role: 'PUBLISHER', note: '', producer: ref(129, 'スクウェア・エニックス') },
  { role: 'MAGAZINE', note: '', producer: ref(130, '月刊少年ガンガン') },
]

export const MANGA_CHARACTERS_EXAMPLE = [
  { role: 'MAIN', character: ref(163, 'エドワード・エルリック', '爱德华·艾尔利克') },
]
