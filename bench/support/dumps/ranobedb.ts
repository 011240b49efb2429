import { Draw } from './draw.ts'
import { DumpFiles } from './table-file.ts'

const HEADERS: Record<string, string> = {
  series:
    'id aliases bookwalker_id publication_status anidb_id start_date wikidata_id olang hidden c_num_books c_start_date mal_id anilist_id website',
  series_title: 'series_id lang official title romaji',
  series_book: 'series_id book_id sort_order book_type',
  series_tag: 'series_id tag_id',
  tag: 'id name ttype description',
  book: 'id image_id release_date olang hidden c_release_date',
  book_title: 'book_id lang official title romaji',
  book_staff_alias: 'book_id staff_alias_id role_type note eid',
  staff:
    'id description bookwalker_id wikidata_id twitter_id pixiv_id website hidden syosetu_id kakuyomu_id bsky_id lang',
  staff_alias: 'id staff_id main_alias name romaji',
  publisher:
    'id name romaji description bookwalker wikidata_id twitter_id website hidden aliases lang',
  release: 'id lang format pages isbn13 hidden',
  release_book: 'release_id book_id rtype',
  release_publisher: 'release_id publisher_id publisher_type',
  image: 'id spoiler nsfw width height filename',
}

type Dump = {
  files: DumpFiles
  draw: Draw
  series: number
  people: number
  publishers: number
  books: number
}

/**
 * Writes a generated RanobeDB dump (`TABLE.tsv`) with the given number of series and about five books each.
 *
 * @returns number of rows, keyed by table, including the header line
 */
export async function writeRanobedbDump(
  folder: string,
  { works, seed = 1 }: { works: number; seed?: number },
): Promise<Record<string, number>> {
  const files = new DumpFiles(folder, '.tsv')
  for (const [table, columns] of Object.entries(HEADERS))
    files.of(table).line(columns.replaceAll(' ', '\t'))
  const dump = {
    files,
    draw: new Draw(seed),
    series: works,
    people: Math.max(1, works),
    publishers: Math.max(1, Math.round(works / 20)),
    books: 0,
  }
  files.row('tag', 1, 'action', 'genre', '')
  await files.writeEach(
    [dump.publishers, (id) => writePublisher(dump, id)],
    [dump.people, (id) => writePerson(dump, id)],
    [works, (id) => writeSeries(dump, id)],
  )
  return files.end()
}

function writePublisher({ files, draw }: Dump, id: number) {
  files.row(
    'publisher',
    id,
    draw.name('japanese', 12),
    null,
    '',
    null,
    null,
    null,
    null,
    false,
    '',
    'ja',
  )
}

function writePerson({ files, draw }: Dump, id: number) {
  files.row('staff', id, '', null, null, null, null, null, false, null, null, null, 'ja')
  files.row('staff_alias', id, id, true, draw.name('japanese', 10), draw.name('latin', 16))
}

function writeSeries(dump: Dump, id: number) {
  const { files, draw } = dump
  const count = 1 + draw.below(9)
  const start = draw.day()
  files.row(
    'series',
    id,
    '',
    null,
    draw.pick(['ongoing', 'completed']),
    null,
    start,
    null,
    'ja',
    false,
    count,
    start,
    null,
    null,
    null,
  )
  const title = draw.name('japanese', 24)
  files.row('series_title', id, 'ja', true, title, draw.name('latin', 30))
  if (draw.chance(0.5)) files.row('series_tag', id, 1)
  for (let volume = 1; volume <= count; volume += 1) writeBook(dump, { series: id, title, volume })
}

/** ISBN of a book: 978-4 and its number. */
function isbnOf(id: number): string {
  const digits = `9784${String(id).padStart(8, '0')}`
  const sum = [...digits].reduce(
    (total, digit, index) => total + Number(digit) * (index % 2 ? 3 : 1),
    0,
  )
  return `${digits}${(10 - (sum % 10)) % 10}`
}

function writeBook(
  dump: Dump,
  { series, title, volume }: { series: number; title: string; volume: number },
) {
  const { files, draw } = dump
  const id = (dump.books += 1)
  const day = draw.day()
  files.row('book', id, id, day, 'ja', false, day)
  files.row('book_title', id, 'ja', true, `${title} ${volume}`, null)
  files.row('series_book', series, id, volume, 'main')
  files.row('image', id, false, draw.chance(0.02), 240, 355, `image${id}.jpg`)
  files.row('book_staff_alias', id, 1 + draw.below(dump.people), 'author', '', null)
  files.row('book_staff_alias', id, 1 + draw.below(dump.people), 'artist', '', null)
  files.row('release', id, 'ja', 'print', 200 + draw.below(200), isbnOf(id), false)
  files.row('release_book', id, id, 'complete')
  files.row(
    'release_publisher',
    id,
    1 + draw.below(dump.publishers),
    draw.pick(['publisher', 'imprint']),
  )
}
