import type { Source, SourceRecord, SameAs } from '../../src/sources/records/record.ts'
import type { SeededRandom } from './seeded-random.ts'

/**
 * Pairs of records that describe the same thing, as `SOURCE ID`. `one` belongs to the source whose name sorts first.
 */
export type KnownPair = { kind: string; one: string; other: string; isLinked: boolean }

const FAMILIES = [
  '佐藤',
  '鈴木',
  '高橋',
  '田中',
  '渡辺',
  '伊藤',
  '小林',
  '中村',
  '麻枝',
  '樋上',
  '奈須',
  '武内',
  '丸戸',
  '田村',
  '北川',
  '斎藤',
]
const GIVEN_NAMES = [
  '准',
  'いたる',
  'きのこ',
  '崇',
  '史明',
  'ゆかり',
  '翔子',
  '健',
  '真',
  '七海',
  '葵',
  '蒼',
  '由紀',
  '大輔',
  '直樹',
  '一也',
  '千尋',
  '悠',
]
const NOUNS = [
  '星',
  '空',
  '夏',
  '雪',
  '花',
  '約束',
  '記憶',
  '少女',
  '魔法',
  '世界',
  '終末',
  '学園',
  '迷宮',
  '楽園',
  '物語',
  'メモリー',
  'ソング',
  'ノート',
]

/** Returns a spelling of a name with the same meaning: other spaces, character widths or forms. */
function variantOf(random: SeededRandom, name: string): string {
  if (random.chance(0.3)) return `${name.slice(0, 2)} ${name.slice(2)}`
  if (random.chance(0.2)) return name.replaceAll('斎', '斉').replaceAll('メ', 'ﾒ')
  return name
}

/** Returns a name that cannot be recognized as the same: a typing error, or another script. */
const misspelled = (random: SeededRandom, name: string, number: number) =>
  random.chance(0.5) ? `${name.slice(0, -1)}${random.pick(['々', '之', 'ヶ'])}` : `Name ${number}`

/**
 * Generates records from three sources that overlap like real ones: games in VNDB and Bangumi, novels in RanobeDB and
 * Bangumi, with the people they name. Includes namesakes, remakes, omnibus editions, typing errors, missing dates, and
 * wrong or missing links.
 *
 * @param works number of games, and of novels
 */
export function generateOverlappingRecords(
  random: SeededRandom,
  works: number,
): { loads: { source: Source; records: SourceRecord[] }[]; pairs: KnownPair[] } {
  const loads: Record<'vndb' | 'ranobedb' | 'bangumi', SourceRecord[]> = {
    vndb: [],
    ranobedb: [],
    bangumi: [],
  }
  const pairs: KnownPair[] = []
  const people: Record<string, { source: string; bangumi: string }[]> = { vndb: [], ranobedb: [] }
  let number = 0
  const next = () => String((number += 1))
  const know = (kind: string, source: string, id: string, bangumi: string, isLinked = false) =>
    pairs.push({ kind, one: `bangumi ${bangumi}`, other: `${source} ${id}`, isLinked })

  /** Creates a person in both sources. Names repeat, to produce namesakes. */
  function createSharedPerson(
    kind: 'person' | 'producer' | 'character',
    source: 'vndb' | 'ranobedb',
  ) {
    const id = next()
    const name =
      kind === 'producer'
        ? `${random.pick(NOUNS)}${random.pick(['社', 'ソフト', '文庫', 'Works'])}${random.below(150)}`
        : `${random.pick(FAMILIES)}${random.pick(GIVEN_NAMES)}${random.chance(0.4) ? random.pick(GIVEN_NAMES) : ''}`
    const otherName = random.chance(0.12)
      ? misspelled(random, name, number)
      : variantOf(random, name)
    loads[source].push({ kind, external_id: `x${id}`, fields: { name } })
    loads.bangumi.push({ kind, external_id: id, fields: { name: otherName } })
    know(kind, source, `x${id}`, id)
    return { source: `x${id}`, bangumi: id }
  }
  /** Creates two different characters of one game with the same or a similar name. */
  function differentCharacters() {
    const id = next()
    const [name, otherName, facts, otherFacts] = random.pick([
      [`真琴${id}`, `真琴${id}`, { gender: 'female' }, { gender: 'male' }],
      [
        `薫${id}`,
        `薫${id}`,
        { birthday_month: 1, birthday_day: 1 },
        { birthday_month: 12, birthday_day: 31 },
      ],
      [`叶${id}`, `葉${id}`, {}, {}],
      [`発${id}`, `髪${id}`, {}, {}],
    ] as const)
    loads.vndb.push({ kind: 'character', external_id: `x${id}`, fields: { name, ...facts } })
    loads.bangumi.push({
      kind: 'character',
      external_id: id,
      fields: { name: otherName, ...otherFacts },
    })
    return { source: `x${id}`, bangumi: id }
  }
  /** Creates a character that appears in several works. */
  function known(source: 'vndb' | 'ranobedb') {
    const list = people[source] ?? []
    if (list.length > 20 && random.chance(0.6)) return random.pick(list)
    const one = createSharedPerson('person', source)
    list.push(one)
    return one
  }
  const dateOf = () =>
    `20${String(random.below(25)).padStart(2, '0')}-${String(1 + random.below(12)).padStart(2, '0')}-10`
  const title = () =>
    `${random.pick(NOUNS)}${random.pick(['の', 'と', '×', ''])}${random.pick(NOUNS)}${random.below(works * 2)}`

  for (let game = 0; game < works; game += 1) {
    const [id, name, date] = [next(), title(), dateOf()]
    const staff = Array.from({ length: 1 + random.below(3) }, () => ({
      ...known('vndb'),
      role: random.pick(['SCENARIO', 'GRAPHICS', 'MUSIC'] as const),
    }))
    const cast = Array.from({ length: random.below(3) }, () =>
      createSharedPerson('character', 'vndb'),
    )
    if (random.chance(0.1)) cast.push(differentCharacters())
    const maker = createSharedPerson('producer', 'vndb')
    const linked = random.chance(0.75)
    const remake = random.chance(0.15)
    const same_as: SameAs[] = linked ? [{ source: 'bangumi', external_id: id }] : []
    // A remake is linked in addition to the work, and its link may come first.
    if (remake) same_as.splice(random.below(2), 0, { source: 'bangumi', external_id: `${id}9999` })
    loads.vndb.push({
      kind: 'galgame',
      external_id: `v${id}`,
      same_as: linked ? same_as : [],
      fields: { origin_title: name, ...(random.chance(0.9) && { release_date: date }) },
      links: {
        staff: staff.map(({ source, role }) => ({ ref: source, role })),
        characters: cast.map(({ source }) => ({ ref: source, role: 'MAIN', actors: [] })),
        producers: [{ ref: maker.source, role: 'DEVELOPER' }],
      },
    })
    const links = {
      staff: staff.map(({ bangumi, role }) => ({
        ref: bangumi,
        role: random.chance(0.15) ? null : role,
      })),
      characters: cast.map(({ bangumi }) => ({ ref: bangumi, role: 'MAIN' as const, actors: [] })),
      producers: [{ ref: maker.bangumi, role: 'DEVELOPER' as const }],
    }
    loads.bangumi.push({
      kind: 'galgame',
      external_id: id,
      fields: { origin_title: name, ...(random.chance(0.9) && { release_date: date }) },
      links,
    })
    if (remake)
      loads.bangumi.push({
        kind: 'galgame',
        external_id: `${id}9999`,
        fields: { origin_title: `${name} フルボイス版`, release_date: '2024-12-01' },
        links,
      })
    // A fan disc that links to the game, once without a label and once with a label that names the work.
    if (random.chance(0.1))
      loads.bangumi.push(
        {
          kind: 'galgame',
          external_id: `${id}6666`,
          same_as: [{ source: 'vndb', external_id: `v${id}` }],
          fields: { origin_title: `${name} ファンディスク` },
        },
        {
          kind: 'galgame',
          external_id: `${id}5555`,
          fields: { origin_title: `${name}2` },
          links: { mentions: [{ source: 'vndb', external_id: `v${id}`, label: '前作' }] },
        },
      )
    know('galgame', 'vndb', `v${id}`, id, linked)
  }

  for (let series = 0; series < works; series += 1) {
    const [id, name, date] = [next(), title(), dateOf()]
    const author = known('ranobedb')
    const isbn = `97840${id.padStart(8, '0')}`
    const [hasIsbn, hasMal, isTyped] = [random.chance(0.3), random.chance(0.3), random.chance(0.1)]
    const outside: SameAs[] = hasMal ? [{ source: 'mal', external_id: id }] : []
    const isbnOf = (shown: boolean): SameAs[] =>
      shown ? [{ source: 'isbn', external_id: isbn }] : []
    loads.ranobedb.push(
      {
        kind: 'light_novel_volume',
        external_id: `b${id}`,
        fields: { name, volume_number: 1 },
        same_as: isbnOf(hasIsbn),
      },
      {
        kind: 'light_novel_volume',
        external_id: `c${id}`,
        fields: { name: `${name} 2`, volume_number: 2 },
      },
      {
        kind: 'light_novel',
        external_id: id,
        same_as: outside,
        fields: { name, publication_date: random.chance(0.9) ? date : null },
        links: {
          volumes: [{ ref: `b${id}` }, { ref: `c${id}` }],
          people: [{ ref: author.source, relation: 'author' }],
        },
      },
    )
    loads.bangumi.push(
      {
        kind: 'light_novel_volume',
        external_id: `1${id}`,
        fields: { name, volume_number: 1 },
        same_as: isbnOf(hasIsbn),
      },
      {
        kind: 'light_novel',
        external_id: id,
        same_as: outside,
        fields: {
          name: isTyped ? misspelled(random, name, number) : variantOf(random, name),
          publication_date: random.chance(0.9) ? date : null,
        },
        links: {
          volumes: [{ ref: `1${id}` }],
          people: [{ ref: author.bangumi, relation: 'author' }],
        },
      },
    )
    know('light_novel', 'ranobedb', id, id)
    // A spin-off by another author, whose first volume has a copied ISBN.
    if (random.chance(0.1)) {
      const other = known('ranobedb')
      loads.bangumi.push(
        {
          kind: 'light_novel_volume',
          external_id: `2${id}`,
          fields: { name: `${name} 外伝`, volume_number: 1 },
          same_as: isbnOf(hasIsbn),
        },
        {
          kind: 'light_novel',
          external_id: `${id}4444`,
          fields: { name: `${name} 外伝`, publication_date: '2031-01-01' },
          links: {
            volumes: [{ ref: `2${id}` }],
            people: [{ ref: other.bangumi, relation: 'author' }],
          },
        },
      )
    }
    // A retelling with the same title and author, years later, and an omnibus with the number of the first volume.
    if (random.chance(0.1))
      loads.bangumi.push({
        kind: 'light_novel',
        external_id: `${id}7777`,
        fields: { name, publication_date: '2030-01-01' },
        links: { people: [{ ref: author.bangumi, relation: 'author' }] },
      })
    if (random.chance(0.05))
      loads.bangumi.push({
        kind: 'light_novel',
        external_id: `${id}8888`,
        fields: { name: `${name} 合本版` },
        same_as: isbnOf(true),
        links: {},
      })
  }
  return {
    loads: [
      { source: 'vndb', records: loads.vndb },
      { source: 'bangumi', records: loads.bangumi },
      { source: 'ranobedb', records: loads.ranobedb },
    ],
    pairs,
  }
}
