import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Draw } from './draw.ts'
import { DumpFiles } from './table-file.ts'

/** Columns as of July 2026, without those that are never read. */
const HEADERS: Record<string, string> = {
  vn: 'id c_image olang devstatus alias description',
  vn_titles: 'id lang official title latin',
  vn_staff: 'id aid role eid note',
  vn_seiyuu: 'id cid aid note',
  vn_relations: 'id vid relation official',
  vn_screenshots: 'id scr rid',
  vn_image_votes: 'vid uid img',
  vn_extlinks: 'id link',
  chars:
    'id image bloodt cup_size sex gender s_bust s_waist s_hip birthday height weight age description',
  chars_names: 'id lang name latin',
  chars_alias: 'id spoil name latin',
  chars_vns: 'id vid rid role spoil',
  chars_traits: 'id tid spoil lie',
  traits: 'id gid gorder sexual name',
  staff: 'id gender lang main description prod',
  staff_alias: 'id aid name latin',
  staff_extlinks: 'id link',
  producers: 'id type lang name latin alias description',
  producers_extlinks: 'id link',
  releases: 'id olang released minage has_ero patch official engine',
  releases_vn: 'id vid rtype',
  releases_titles: 'id lang mtl title latin',
  releases_platforms: 'id platform',
  releases_producers: 'id pid developer publisher',
  releases_images: 'id img vid itype lang',
  releases_extlinks: 'id link',
  engines: 'id name description',
  images: 'id width height c_votecount c_sexual_avg c_violence_avg',
  extlinks: 'id site value',
  entry_meta: 'id created lastmod',
  tags: 'id cat defaultspoil searchable applicable name alias description',
  tags_vn: 'date tag vid uid vote spoiler ignore lie notes',
}

/**
 * Rows per novel, as in the dump of 2023: 43,150 novels, 126 thousand characters, 147 thousand appearances, 17.8
 * thousand producers.
 */
const PER_NOVEL = {
  characters: 2.92,
  producers: 0.413,
  people: 0.7,
  releases: 1.74,
  tags: 20,
  votesPerTag: 1.5,
}
const TRAITS = 400
const ENGINES = 40
const TAGS = 2000

/**
 * Writes a generated VNDB dump (`db/TABLE` and `db/TABLE.header`) with the given number of novels and their related
 * rows.
 *
 * @returns number of rows, keyed by table
 */
export async function writeVndbDump(
  folder: string,
  { works, seed = 1 }: { works: number; seed?: number },
): Promise<Record<string, number>> {
  const db = join(folder, 'db')
  const files = new DumpFiles(db, '')
  for (const [table, columns] of Object.entries(HEADERS)) {
    writeFileSync(join(db, `${table}.header`), columns.replaceAll(' ', '\t'))
    files.of(table)
  }
  const draw = new Draw(seed)
  const sizes = {
    works,
    characters: Math.max(1, Math.round(works * PER_NOVEL.characters)),
    producers: Math.max(1, Math.round(works * PER_NOVEL.producers)),
    people: Math.max(1, Math.round(works * PER_NOVEL.people)),
  }
  const dump = { files, draw, sizes, links: 0, releases: 0 }
  writeSmallTables(dump)
  await files.writeEach(
    [sizes.producers, (id) => writeProducer(dump, id)],
    [sizes.people, (id) => writePerson(dump, id)],
    [sizes.characters, (id) => writeCharacter(dump, id)],
    [sizes.works, (id) => writeNovel(dump, id)],
  )
  return files.end()
}

type Sizes = { works: number; characters: number; producers: number; people: number }
type Dump = { files: DumpFiles; draw: Draw; sizes: Sizes; links: number; releases: number }

function writeSmallTables({ files, draw }: Dump) {
  for (let id = 1; id <= ENGINES; id += 1) files.row('engines', id, draw.name('latin', 12), '')
  for (let id = 1; id <= 10; id += 1)
    files.row('traits', `i${id}`, null, id, id === 10, draw.name('latin', 12))
  for (let id = 11; id <= TRAITS; id += 1)
    files.row(
      'traits',
      `i${id}`,
      `i${1 + draw.below(10)}`,
      0,
      draw.chance(0.05),
      draw.name('latin', 16),
    )
  for (let id = 1; id <= TAGS; id += 1)
    files.row(
      'tags',
      `g${id}`,
      draw.pick(['cont', 'cont', 'cont', 'ero', 'tech']),
      draw.pick([0, 0, 0, 0, 1]),
      true,
      draw.chance(0.95),
      `${draw.name('latin', 16)} ${id}`,
      '',
      '',
    )
}

function writeTimes({ files, draw }: Dump, id: string) {
  const created = 2008 + draw.below(10)
  files.row(
    'entry_meta',
    id,
    `${created}-03-0${1 + draw.below(9)}`,
    `${created + draw.below(9)}-11-2${draw.below(9)}`,
  )
}

function writeLink(dump: Dump, table: string, id: string, site: string, value: string) {
  dump.links += 1
  dump.files.row('extlinks', dump.links, site, value)
  dump.files.row(table, id, dump.links)
}

function writeImage({ files, draw }: Dump, id: string) {
  files.row(
    'images',
    id,
    256 + draw.below(1024),
    400 + draw.below(1024),
    draw.below(30),
    draw.below(201),
    draw.below(201),
  )
}

function writeProducer(dump: Dump, number: number) {
  const { files, draw } = dump
  const id = `p${number}`
  const type = draw.pick(['co', 'co', 'ng', 'in'])
  const lang = draw.pick(['ja', 'ja', 'ja', 'en', 'zh-Hans'])
  files.row(
    'producers',
    id,
    type,
    lang,
    draw.name('japanese', 16),
    draw.name('latin', 16),
    '',
    draw.chance(0.2) ? draw.words(30) : '',
  )
  if (draw.chance(0.5))
    writeLink(dump, 'producers_extlinks', id, 'website', `https://p${number}.example/`)
  writeTimes(dump, id)
}

function writePerson(dump: Dump, number: number) {
  const { files, draw } = dump
  const id = `s${number}`
  // The ID of a person's main alias is twice the person's ID.
  files.row(
    'staff',
    id,
    draw.pick(['m', 'f', '']),
    'ja',
    number * 2,
    draw.chance(0.2) ? draw.words(30) : '',
    null,
  )
  files.row('staff_alias', id, number * 2, draw.name('japanese', 10), draw.name('latin', 16))
  if (number % 3 === 0)
    files.row('staff_alias', id, number * 2 + 1, draw.name('japanese', 10), null)
  if (draw.chance(0.4)) writeLink(dump, 'staff_extlinks', id, 'twitter', `person${number}`)
  writeTimes(dump, id)
}

function writeCharacter(dump: Dump, number: number) {
  const { files, draw, sizes } = dump
  const id = `c${number}`
  const image = draw.chance(0.6) ? `ch${number}` : null
  if (image) writeImage(dump, image)
  files.row(
    'chars',
    id,
    image,
    draw.pick(['unknown', 'a', 'b', 'o']),
    '',
    draw.pick(['m', 'f', 'f']),
    null,
    80 + draw.below(20),
    55 + draw.below(10),
    80 + draw.below(15),
    (1 + draw.below(12)) * 100 + 1 + draw.below(28),
    140 + draw.below(40),
    null,
    draw.chance(0.3) ? 15 + draw.below(10) : null,
    draw.chance(0.7) ? draw.words(40) : '',
  )
  files.row('chars_names', id, 'ja', draw.name('japanese', 10), draw.name('latin', 18))
  if (draw.chance(0.25))
    files.row('chars_alias', id, draw.chance(0.2) ? 1 : 0, draw.name('japanese', 10), null)
  for (let count = draw.about(6); count > 0; count -= 1)
    files.row(
      'chars_traits',
      id,
      `i${11 + draw.below(TRAITS - 10)}`,
      draw.pick([0, 0, 0, 1]),
      draw.chance(0.02),
    )
  const home = 1 + Math.floor(((number - 1) * sizes.works) / sizes.characters)
  const role = draw.pick(['main', 'primary', 'side', 'appears'])
  files.row('chars_vns', id, `v${home}`, null, role, draw.pick([0, 0, 0, 0, 1]))
  if (draw.chance(0.17))
    files.row('chars_vns', id, `v${1 + draw.below(sizes.works)}`, null, role, 0)
  if (draw.chance(0.57))
    files.row('vn_seiyuu', `v${home}`, id, (1 + draw.below(sizes.people)) * 2, '')
  writeTimes(dump, id)
}

function writeNovel(dump: Dump, number: number) {
  const { files, draw, sizes } = dump
  const id = `v${number}`
  const olang = draw.pick(['ja', 'ja', 'ja', 'en', 'zh-Hans'])
  writeImage(dump, `cv${number}`)
  files.row(
    'vn',
    id,
    `cv${number}`,
    olang,
    draw.pick([0, 0, 0, 1]),
    draw.chance(0.3) ? draw.name('japanese', 8) : '',
    draw.chance(0.8) ? draw.words(80) : '',
  )
  files.row(
    'vn_titles',
    id,
    olang,
    true,
    draw.name(olang === 'en' ? 'latin' : 'japanese'),
    olang === 'en' ? null : draw.name('latin'),
  )
  if (draw.chance(0.12))
    files.row('vn_titles', id, olang === 'en' ? 'ja' : 'en', false, draw.name('latin'), null)
  for (let count = draw.about(2.65); count > 0; count -= 1)
    files.row(
      'vn_staff',
      id,
      (1 + draw.below(sizes.people)) * 2,
      draw.pick(['scenario', 'art', 'music', 'songs', 'chardesign', 'staff']),
      null,
      '',
    )
  if (draw.chance(0.4)) {
    const other = `v${1 + draw.below(sizes.works)}`
    files.row('vn_relations', id, other, 'seq', true)
    files.row('vn_relations', other, id, 'preq', true)
  }
  for (let count = draw.about(3); count > 0; count -= 1) {
    const screenshot = `sf${number * 4 + count}`
    writeImage(dump, screenshot)
    files.row('vn_screenshots', id, screenshot, null)
  }
  if (draw.chance(0.3)) files.row('vn_image_votes', id, `u${draw.below(1000)}`, `cv${number}`)
  if (draw.chance(0.3)) writeLink(dump, 'vn_extlinks', id, 'wikidata', String(number))
  writeTags(dump, id)
  for (let count = draw.about(PER_NOVEL.releases); count > 0; count -= 1)
    writeRelease(dump, id, olang)
  writeTimes(dump, id)
}

/** Most tags have one or two votes. */
function writeTags({ files, draw }: Dump, novel: string) {
  const tags = new Set(
    Array.from({ length: draw.about(PER_NOVEL.tags) }, () => 1 + draw.below(TAGS)),
  )
  for (const tag of tags)
    for (let user = draw.about(PER_NOVEL.votesPerTag); user > 0; user -= 1)
      files.row(
        'tags_vn',
        '2020-01-01',
        `g${tag}`,
        novel,
        `u${user}`,
        draw.pick([1, 2, 2, 3, -3]),
        draw.pick([null, null, 0, 0, 1]),
        draw.chance(0.01),
        draw.chance(0.01) ? true : null,
        '',
      )
}

function writeRelease(dump: Dump, novel: string, olang: string) {
  const { files, draw, sizes } = dump
  dump.releases += 1
  const id = `r${dump.releases}`
  const lang = draw.pick([olang, olang, 'en'])
  files.row(
    'releases',
    id,
    lang,
    draw.day(),
    draw.pick([0, 12, 18]),
    draw.chance(0.3),
    draw.chance(0.1),
    draw.chance(0.9),
    draw.chance(0.3) ? 1 + draw.below(ENGINES) : null,
  )
  files.row('releases_vn', id, novel, draw.pick(['complete', 'complete', 'complete', 'trial']))
  files.row('releases_titles', id, lang, false, draw.name('latin', 20), null)
  files.row('releases_platforms', id, 'win')
  if (draw.chance(0.3)) files.row('releases_platforms', id, 'and')
  files.row('releases_producers', id, `p${1 + draw.below(sizes.producers)}`, true, draw.chance(0.6))
  if (draw.chance(0.5))
    files.row('releases_producers', id, `p${1 + draw.below(sizes.producers)}`, false, true)
  if (draw.chance(0.15))
    files.row('releases_images', id, `cv${novel.slice(1)}`, null, 'pkgfront', null)
  if (draw.chance(0.3)) writeLink(dump, 'releases_extlinks', id, 'dlsite', `RJ${dump.releases}`)
  writeTimes(dump, id)
}
