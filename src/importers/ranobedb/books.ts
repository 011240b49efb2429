import { toIsbn13 } from '../../kernel/isbn.ts'
import { fullDay, groupRows, isTrue, readTable } from '../copy-text.ts'
import type { DumpReading } from '../dump/reading.ts'
import type { Cover } from '../record-fields.ts'
import { readShown, type Titles } from './dump.ts'

/** A book with everything that its volume and its series take from it. */
export type Book = {
  id: string
  olang: string | null
  titles: Titles
  date: string | null
  cover: Cover | null
  nsfw: boolean
  credits: Credit[]
  imprints: Imprint[]
  /** Of its releases that hold no other book. */
  isbns: string[]
}

type Credit = { person: string; role: string; note: string | null }
type Imprint = { publisher: string; role: string; lang: string | null }

/** The books that are not hidden, by id. */
export async function readBooks(dump: DumpReading): Promise<Map<string, Book>> {
  const titles = await readTitles(dump, 'book_title', 'book_id')
  const images = await readImages(dump)
  const credits = await readCredits(dump)
  const imprints = await readImprints(dump)
  const isbns = await readIsbns(dump)

  const books = new Map<string, Book>()
  const columns = ['id', 'image_id', 'olang', 'release_date', 'c_release_date'] as const
  for await (const row of readShown(dump, 'book', columns)) {
    if (row.id === null) continue
    const image = images.get(row.image_id ?? '')
    books.set(row.id, {
      id: row.id,
      olang: row.olang,
      titles: titles.get(row.id) ?? [],
      date: fullDay(row.c_release_date) ?? fullDay(row.release_date),
      cover: image?.cover ?? null,
      nsfw: image?.nsfw ?? false,
      credits: credits.get(row.id) ?? [],
      imprints: imprints.get(row.id) ?? [],
      isbns: isbns.get(row.id) ?? [],
    })
  }
  return books
}

/** The titles of each series or book in file order, by its id. */
export function readTitles(dump: DumpReading, table: string, idColumn: string): Promise<Map<string, Titles>> {
  return groupRows(
    readTable(dump, table, [idColumn, 'lang', 'title', 'romaji']),
    (row) => row[idColumn] ?? null,
    ({ lang, title, romaji }) => (lang && title ? { lang, title, romaji: romaji ?? null } : null),
  )
}

/** RanobeDB grades no violence, and of nudity knows only whether there is any. */
async function readImages(dump: DumpReading): Promise<Map<string, { cover: Cover; nsfw: boolean }>> {
  const images = new Map<string, { cover: Cover; nsfw: boolean }>()
  for await (const row of readTable(dump, 'image', ['id', 'nsfw', 'width', 'height', 'filename'])) {
    if (row.id === null || !row.filename) continue
    const nsfw = isTrue(row.nsfw)
    const cover = {
      url: `https://images.ranobedb.org/${row.filename}`,
      width: Number(row.width) || null,
      height: Number(row.height) || null,
      sexual: nsfw ? 2 : 0,
      violence: 0,
      votes: 0,
    }
    images.set(row.id, { cover, nsfw })
  }
  return images
}

async function readCredits(dump: DumpReading): Promise<Map<string, Credit[]>> {
  const people = new Map<string, string>()
  for await (const { id, staff_id } of readTable(dump, 'staff_alias', ['id', 'staff_id'])) {
    if (id && staff_id) people.set(id, staff_id)
  }
  return groupRows(
    readTable(dump, 'book_staff_alias', ['book_id', 'staff_alias_id', 'role_type', 'note']),
    ({ book_id }) => book_id,
    ({ staff_alias_id, role_type, note }) => {
      const person = people.get(staff_alias_id ?? '')
      return person && role_type ? { person, role: role_type, note: note || null } : null
    },
  )
}

/** ISBNs by book. That of an omnibus or a box set is none of any of its books. */
async function readIsbns(dump: DumpReading): Promise<Map<string, string[]>> {
  const books = await groupRows(
    readTable(dump, 'release_book', ['book_id', 'release_id', 'rtype']),
    ({ release_id, rtype }) => (rtype === 'trial' ? null : release_id),
    ({ book_id }) => book_id,
  )
  const isbns = new Map<string, string[]>()
  for await (const { id, isbn13 } of readShown(dump, 'release', ['id', 'isbn13'])) {
    const isbn = toIsbn13(isbn13 ?? '')
    const [book, another] = books.get(id ?? '') ?? []
    if (isbn && book && another === undefined) isbns.getOrInsert(book, []).push(isbn)
  }
  return isbns
}

async function readImprints(dump: DumpReading): Promise<Map<string, Imprint[]>> {
  const publishers = await groupRows(
    readTable(dump, 'release_publisher', ['release_id', 'publisher_id', 'publisher_type']),
    ({ release_id }) => release_id,
    ({ publisher_id, publisher_type }) =>
      publisher_id && publisher_type ? { publisher: publisher_id, role: publisher_type } : null,
  )
  const releases = await groupRows(
    readTable(dump, 'release_book', ['book_id', 'release_id', 'rtype']),
    ({ release_id, rtype }) => (rtype === 'trial' ? null : release_id),
    ({ book_id }) => book_id,
  )
  const imprints = new Map<string, Imprint[]>()
  for await (const { id, lang } of readShown(dump, 'release', ['id', 'lang'])) {
    const ofRelease = (publishers.get(id ?? '') ?? []).map((publisher) => ({ ...publisher, lang }))
    for (const book of releases.get(id ?? '') ?? []) imprints.getOrInsert(book, []).push(...ofRelease)
  }
  return imprints
}
