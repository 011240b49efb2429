import type { EntryKind } from '../../src/catalog/kinds.ts'
import type {
  Cover,
  GalgameCover,
  Media,
  RecordFields,
} from '../../src/sources/records/record-fields.ts'
import type { SourceRecord } from '../../src/sources/records/record.ts'

// Every field of every kind has a distinct value here, and the compiler rejects a record that lacks one. A field that
// never reaches its column, or a response that shows one field as another, therefore fails the test.

/** Content ratings that differ from each other and from the defaults. */
const media = (name: string, width: number): Media => ({
  url: `https://img.example.org/${name}.jpg`,
  width,
  height: width + 1,
  sexual: 1,
  violence: 2,
})
const cover = (name: string, width: number, votes: number): Cover => ({
  ...media(name, width),
  votes,
})

const galgameCover = (name: string, width: number, votes: number): GalgameCover => ({
  ...cover(name, width, votes),
  kind: 'PKGFRONT',
  language: 'zh-Hant',
})
/** Cover fields that are the same for all covers, as a record states them and as a response shows them. */
const oldCover = (number: number) => cover(`other-cover-${number}`, 200, 8)
const link = (name: string) => ({
  label: `label ${name}`,
  name,
  url: `https://${name}.example.org/`,
})

const times = (year: number) => ({
  created_at: `${year}-01-02T03:04:05.006Z`,
  updated_at: `${year + 1}-02-03T04:05:06.007Z`,
  revised_at: `${year + 2}-03-04T05:06:07.008Z`,
})

const galgame = (number: number, flags: { nsfw: boolean; release_date_tbd: boolean }) =>
  ({
    origin_title: `origin title ${number}`,
    trans_title: `trans title ${number}`,
    en_title: `english title ${number}`,
    romaji_title: `romaji title ${number}`,
    ko_title: `korean title ${number}`,
    aliases: [`alias ${number}`, `other alias ${number}`],
    covers: [galgameCover(`cover-${number}`, 100, 9), oldCover(number)],
    images: [media(`image-${number}`, 300), media(`other-image-${number}`, 400)],
    release_date: '2005-05-05',
    release_date_tbd_note: 'tbd note',
    origin_intro: 'origin intro',
    trans_intro: 'trans intro',
    en_intro: 'english intro',
    adv_type: 'adv type',
    platforms: ['win', 'swi'],
    homepage: 'https://homepage.example.org/',
    engine: 'engine',
    origin_lang: 'ja',
    dev_status: 'IN_DEVELOPMENT',
    prices: [{ version: 'first', amount: 6800.5, currency: 'JPY', tax_included: true }],
    external_links: [link('steam'), link('website')],
    steam_apps: [{ app_id: 324160 }, { app_id: 12 }],
    spoiler_tags: [{ name: `spoiler ${number}`, likes: 40, level: 2 }],
    tags: [{ name: `tag ${number}`, likes: 41 }],
    source_scores: [{ source: 'vndb', score: 8.25, votes: 51, rank: null }],
    ...flags,
    ...times(2006),
  }) satisfies RecordFields['galgame']

const book = (name: string) => ({
  name,
  name_cn: `${name}, in Chinese`,
  en_name: `${name}, in English`,
  romaji_name: `${name}, in romaji`,
  ko_name: `${name}, in Korean`,
  other_names: [`${name}, else`, `${name}, other`],
  covers: [cover(`${name}-cover`, 500, 7)],
  publication_date: '2011-01-11',
  publication_date_text: '2010-12',
  summary: `summary of ${name}`,
  summary_cn: `Chinese summary of ${name}`,
  external_links: [link(`bookwalker-${name}`)],
  nsfw: true,
  tags: [{ name: `tag of ${name}`, likes: 42 }],
  source_scores: [{ source: 'bangumi' as const, score: 7.5, votes: 52, rank: 53 }],
  ...times(2012),
})

const lightNovel: RecordFields['light_novel'] = {
  ...book('novel'),
  novel_status: 'PAUSED',
  total_volumes: 43,
}

const manga: RecordFields['manga'] = {
  ...book('manga'),
  serial_status: 'ABANDONED',
  reading_mode: 'WEBTOON',
  origin_country: 'KR',
  audience: 'JOSEI',
  latest_chapter_at: '2013-03-13',
  publication_end_date: '2014-04-14',
  publication_end_date_text: '2014-05',
  homepage: 'https://manga.example.org/',
  isbn: '9784000000017',
  price_amount: 12.5,
  price_currency: 'EUR',
  pages: 208,
  editions: [{ label: 'bunko', fields: { isbn: '9784000000024' } }],
}

const novelVolume = (
  number: number,
  publication_date: string,
): RecordFields['light_novel_volume'] => ({
  volume_type: 'EXTRA',
  volume_number: number + 0.5,
  volume_label: `label ${number}`,
  name: `volume ${number}`,
  name_cn: `Chinese volume ${number}`,
  covers: [cover(`volume-${number}`, 600, 6)],
  publication_date,
  publication_date_text: `200${number}-03`,
  relation: `relation ${number}`,
  isbns: [`978400000004${number}`, `978400000005${number}`],
  page_count: 300 + number,
  price_amount: 600.5 + number,
  price_currency: 'JPY',
})

const mangaVolume = (number: number): RecordFields['manga_volume'] => ({
  volume_number: number + 0.25,
  name: `book ${number}`,
  name_cn: `Chinese book ${number}`,
  cover: media(`book-${number}`, 700),
  isbn: `978400000003${number}`,
  publication_date: `2015-05-1${number}`,
  publication_date_text: `201${number}`,
  page_count: 210 + number,
})

const person = (number: number): RecordFields['person'] => ({
  name: `person ${number}`,
  trans_name: `trans person ${number}`,
  aliases: [`person alias ${number}`],
  intro: `person intro ${number}`,
  trans_intro: `trans person intro ${number}`,
  image: media(`person-${number}`, 800),
  gender: 'other',
  labels: [{ key: 'person key', value: `person value ${number}` }],
  external_links: [link(`person-${number}`)],
  ...times(2016),
})

const producer = (number: number): RecordFields['producer'] => ({
  name: `producer ${number}`,
  trans_name: `trans producer ${number}`,
  type: 'DOUJIN',
  aliases: [`producer alias ${number}`],
  intro: `producer intro ${number}`,
  trans_intro: `trans producer intro ${number}`,
  en_intro: `english producer intro ${number}`,
  country: 'TW',
  established: '1999-09-09',
  established_text: '1998-07',
  website: 'https://producer.example.org/',
  logo: media(`producer-${number}`, 900),
  labels: [{ key: 'producer key', value: `producer value ${number}` }],
  external_links: [link(`producer-${number}`)],
  ...times(2017),
})

const character = (number: number): RecordFields['character'] => ({
  name: `character ${number}`,
  trans_name: `trans character ${number}`,
  en_name: `english character ${number}`,
  aliases: [`character alias ${number}`],
  intro: `character intro ${number}`,
  trans_intro: `trans character intro ${number}`,
  en_intro: `english character intro ${number}`,
  image: media(`character-${number}`, 1000),
  gender: 'female',
  blood_type: 'AB',
  birthday_month: 11,
  birthday_day: 29,
  height: 161.5,
  weight: 47.5,
  bust: 82.5,
  waist: 57.5,
  hips: 83.5,
  cup: 'cup',
  age: 17,
  labels: [{ key: 'character key', value: `character value ${number}` }],
  external_links: [link(`character-${number}`)],
  ...times(2018),
})

/** The first reference is to volume 2, which also has the later date, so that every order sorts the two differently. */
const volumeRefs = [{ ref: '1' }, { ref: '2' }]

/** Ids follow the order of the records. Works share one sequence: 1 and 2 are galgames, 3 is the novel, 4 the manga. */
export const FULL_RECORDS: SourceRecord[] = [
  ...[1, 2, 3].flatMap((number): SourceRecord[] => [
    { kind: 'person', external_id: String(number), fields: person(number) },
    { kind: 'producer', external_id: String(number), fields: producer(number) },
    { kind: 'character', external_id: String(number), fields: character(number) },
  ]),
  {
    kind: 'galgame',
    external_id: '1',
    fields: galgame(1, { nsfw: false, release_date_tbd: true }),
    links: {
      staff: [
        { ref: '3', role: 'SCENARIO', credited_as: 'a pen name' },
        { ref: '1', role: 'MUSIC' },
        { ref: '2', role: null, credited_as: 'another pen name' },
      ],
      characters: [
        {
          ref: '2',
          role: 'SUPPORTING',
          actors: [{ ref: '3', credited_as: 'a stage name' }, { ref: '1' }],
        },
        { ref: '1', role: 'MAIN', actors: [] },
      ],
      producers: [
        { ref: '3', role: 'PUBLISHER', note: 'PS2' },
        { ref: '1', role: 'DEVELOPER' },
        { ref: '2', role: 'DEVELOPER', note: 'engine' },
      ],
      relations: [{ ref: '2', relation: 'FANDISC' }],
    },
  },
  {
    kind: 'galgame',
    external_id: '2',
    fields: galgame(2, { nsfw: true, release_date_tbd: false }),
  },
  {
    kind: 'light_novel',
    external_id: '1',
    fields: lightNovel,
    links: {
      volumes: volumeRefs,
      people: [
        { ref: '3', relation: 'illustrator', note: 'from volume 2' },
        { ref: '1', relation: 'author' },
      ],
      producers: [
        { ref: '2', relation: 'bunko' },
        { ref: '1', relation: 'publisher', note: 'en' },
      ],
      characters: [
        { ref: '3', role: 'GUEST' },
        { ref: '1', role: 'MAIN' },
      ],
    },
  },
  {
    kind: 'manga',
    external_id: '1',
    fields: manga,
    links: {
      volumes: volumeRefs,
      people: [
        { ref: '2', role: 'ART', note: 'chapters 1–9' },
        { ref: '1', role: 'AUTHOR' },
      ],
      producers: [
        { ref: '3', role: 'MAGAZINE', note: 'weekly' },
        { ref: '1', role: 'PUBLISHER' },
      ],
      characters: [
        { ref: '2', role: 'MAIN' },
        { ref: '1', role: 'SUPPORTING' },
      ],
    },
  },
  { kind: 'light_novel_volume', external_id: '1', fields: novelVolume(2, '2020-02-02') },
  { kind: 'light_novel_volume', external_id: '2', fields: novelVolume(1, '2010-02-01') },
  { kind: 'manga_volume', external_id: '1', fields: mangaVolume(2) },
  { kind: 'manga_volume', external_id: '2', fields: mangaVolume(1) },
]

/** Converts dates to the format of responses: midnight of the day. */
const withMidnights = (fields: object): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [
      name,
      typeof value === 'string' && /^\d{4}-\d\d-\d\d$/.test(value)
        ? `${value}T00:00:00.000Z`
        : value,
    ]),
  )

const rating = {
  score: 0,
  total: 0,
  count: Object.fromEntries(Array.from({ length: 10 }, (_, index) => [String(index + 1), 0])),
}
const work = (id: number, fields: object) => ({ id, ...withMidnights(fields), rating })
/** Ids of the source `local` are not shown. */
const bookIds = { bangumi_id: null, ranobedb_id: null }
const ids = { vndb_id: null, bangumi_id: null }
const external_source = { vndb: null, bangumi: null }
const shownCovers = (number: number) => [
  galgameCover(`cover-${number}`, 100, 9),
  { ...oldCover(number), kind: null, language: null },
]
const galgameResponse = (id: number, fields: object, developer: string | null) => ({
  ...work(id, fields),
  covers: shownCovers(id),
  developer,
  vndb_id: null,
  bangumi_game_id: null,
  bangumi_id: null,
  external_source,
})
const volume = (id: number, fields: object) => ({ id, ...withMidnights(fields) })

const NO_TITLES = { en_title: null, romaji_title: null, ko_title: null }

const personRef = (id: number, name = `person ${id}`) => {
  const { trans_name, image } = person(id)
  return { id, name, trans_name, image, ...NO_TITLES }
}
const producerRef = (id: number) => {
  const { name, trans_name, logo } = producer(id)
  return { id, name, trans_name, image: logo, ...NO_TITLES }
}
const characterRef = (id: number) => {
  const { name, trans_name, image, en_name: en_title } = character(id)
  return { id, name, trans_name, image, ...NO_TITLES, en_title }
}

/** A producer's translated name appears only in references to it (§2.9). */
const { trans_name: _transName, ...producerFields } = producer(2)

/** Expected response for an entry of each kind. */
export const FULL_RESPONSES: { kind: EntryKind; data: { id: number; [field: string]: unknown } }[] =
  [
    {
      kind: 'galgame',
      data: galgameResponse(1, galgame(1, { nsfw: false, release_date_tbd: true }), 'producer 1'),
    },
    {
      kind: 'galgame',
      data: galgameResponse(2, galgame(2, { nsfw: true, release_date_tbd: false }), null),
    },
    { kind: 'light_novel', data: { ...work(3, lightNovel), ...bookIds, bangumi_book_id: null } },
    { kind: 'manga', data: { ...work(4, manga), ...bookIds, bangumi_subject_id: null } },
    { kind: 'person', data: { id: 2, ...withMidnights(person(2)), ...ids } },
    {
      kind: 'producer',
      data: { id: 2, ...withMidnights(producerFields), ...ids, external_source },
    },
    { kind: 'character', data: { id: 2, ...withMidnights(character(2)), ...ids, external_source } },
  ]

// The first ISBN is also stored in a separate field.
const novelVolumes = [
  { ...volume(2, novelVolume(1, '2010-02-01')), isbn: '9784000000041' },
  { ...volume(1, novelVolume(2, '2020-02-02')), isbn: '9784000000042' },
]

/**
 * Lists in their order, which never equals the order of ids, with the expected result for each value of their filters.
 */
export const FULL_LISTS: [path: string, data: unknown[]][] = [
  [
    'galgames/1/staff',
    [
      { role: 'SCENARIO', person: personRef(3, 'a pen name') },
      { role: 'MUSIC', person: personRef(1) },
      { role: null, person: personRef(2, 'another pen name') },
    ],
  ],
  ['galgames/1/staff?role=MUSIC', [{ role: 'MUSIC', person: personRef(1) }]],
  [
    'galgames/1/characters',
    [
      {
        role: 'SUPPORTING',
        actors: [personRef(3, 'a stage name'), personRef(1)],
        character: characterRef(2),
      },
      { role: 'MAIN', actors: [], character: characterRef(1) },
    ],
  ],
  ['galgames/1/characters?role=MAIN', [{ role: 'MAIN', actors: [], character: characterRef(1) }]],
  [
    'galgames/1/producers',
    [
      { role: 'PUBLISHER', note: 'PS2', producer: producerRef(3) },
      { role: 'DEVELOPER', note: '', producer: producerRef(1) },
      { role: 'DEVELOPER', note: 'engine', producer: producerRef(2) },
    ],
  ],
  [
    'galgames/1/producers?role=PUBLISHER',
    [{ role: 'PUBLISHER', note: 'PS2', producer: producerRef(3) }],
  ],
  [
    'galgames/1/developers',
    [
      { id: 1, ...withMidnights(producer(1)), ...ids, external_source, note: '' },
      { id: 2, ...withMidnights(producer(2)), ...ids, external_source, note: 'engine' },
    ],
  ],
  [
    'galgames/1/relations',
    [
      {
        relation: 'SIDE_STORY',
        detail: 'FANDISC',
        galgame: {
          id: 2,
          origin_title: 'origin title 2',
          trans_title: 'trans title 2',
          nsfw: true,
          release_date: '2005-05-05T00:00:00.000Z',
          covers: shownCovers(2),
          name: 'origin title 2',
          trans_name: 'trans title 2',
          image: media('cover-2', 100),
          en_title: 'english title 2',
          romaji_title: 'romaji title 2',
          ko_title: 'korean title 2',
        },
      },
    ],
  ],
  ['light-novels/3/volumes', novelVolumes],
  ['light-novels/3/volumes?sort=volume_number', novelVolumes],
  ['light-novels/3/volumes?sort=recent', novelVolumes.toReversed()],
  [
    'light-novels/3/people',
    [
      { relation: 'illustrator', note: 'from volume 2', person: personRef(3) },
      { relation: 'author', note: null, person: personRef(1) },
    ],
  ],
  [
    'light-novels/3/people?relation=author',
    [{ relation: 'author', note: null, person: personRef(1) }],
  ],
  [
    'light-novels/3/producers',
    [
      { relation: 'bunko', note: null, producer: producerRef(2) },
      { relation: 'publisher', note: 'en', producer: producerRef(1) },
    ],
  ],
  [
    'light-novels/3/producers?relation=bunko',
    [{ relation: 'bunko', note: null, producer: producerRef(2) }],
  ],
  [
    'light-novels/3/characters',
    [
      { role: 'GUEST', character: characterRef(3) },
      { role: 'MAIN', character: characterRef(1) },
    ],
  ],
  ['light-novels/3/characters?role=GUEST', [{ role: 'GUEST', character: characterRef(3) }]],
  ['mangas/4/volumes', [volume(2, mangaVolume(1)), volume(1, mangaVolume(2))]],
  [
    'mangas/4/people',
    [
      { role: 'ART', note: 'chapters 1–9', person: personRef(2) },
      { role: 'AUTHOR', note: '', person: personRef(1) },
    ],
  ],
  [
    'mangas/4/producers',
    [
      { role: 'MAGAZINE', note: 'weekly', producer: producerRef(3) },
      { role: 'PUBLISHER', note: '', producer: producerRef(1) },
    ],
  ],
  [
    'mangas/4/characters',
    [
      { role: 'MAIN', character: characterRef(2) },
      { role: 'SUPPORTING', character: characterRef(1) },
    ],
  ],
  ['mangas/4/characters?role=SUPPORTING', [{ role: 'SUPPORTING', character: characterRef(1) }]],
]
