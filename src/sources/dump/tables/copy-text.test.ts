import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { listRemarks, openTestDump, temporaryDumps } from '#test/dumps.ts'
import {
  arrayOf,
  fullDay,
  integerOf,
  isTrue,
  otherNames,
  decodeCells,
  partialDate,
  readBlocks,
} from './copy-text.ts'
import { Dependencies } from '../dependencies.ts'
import { BadRows } from '../bad-rows.ts'
import { openFolder } from '../archive/folder.ts'
import type { DumpReading, Layout } from '../dump-source.ts'
import { openTableFiles } from './table-files.ts'

const report = listRemarks()
const { remarks } = report
beforeEach(() => void remarks.splice(0))
const { dir } = temporaryDumps()

/** Reads the rows of a `.tsv` file with this content. */
async function rowsOf(content: string, columns: string[], older: string[] = []) {
  await writeFile(join(dir, 'table.tsv'), content)
  return Array.fromAsync(readTable(await reading('first line'), 'table', columns, older))
}

/** Opens the folder as a dump. */
async function reading(header: Layout['header']): Promise<DumpReading> {
  const suffix = header === 'first line' ? '.tsv' : ''
  const dump = openTableFiles(await openFolder(dir), '', { header, suffix })
  return { dump, report, badRows: new BadRows(report), dependencies: new Dependencies() }
}

/** Yields the rows of a table one by one. */
async function* readTable(
  dump: DumpReading,
  table: string,
  columns: string[],
  older: string[] = [],
) {
  for await (const rows of readBlocks(dump, table, columns, older, decodeCells, {})) yield* rows
}

/** Opens excerpts of the real VNDB dump of one date. */
const slices = (age: string) =>
  openTestDump(
    'vndb',
    fileURLToPath(new URL(`../../vndb/fixtures/${age}`, import.meta.url)),
    report,
  )

describe('readBlocks', () => {
  it('finds columns by name, in any order and among other columns', async () => {
    assert.deepEqual(await rowsOf('new\tname\tid\nx\tA\t1\n', ['id', 'name']), [
      { id: '1', name: 'A' },
    ])
  })

  it('distinguishes null, empty text and an escaped \\N', async () => {
    assert.deepEqual(await rowsOf('a\tb\tc\n\\N\t\t\\\\N\n', ['a', 'b', 'c']), [
      { a: null, b: '', c: '\\N' },
    ])
  })

  for (const [written, meant] of [
    ['a\\nb', 'a\nb'],
    ['\\t\\r\\b\\f\\v', '\t\r\b\f\v'],
    ['C:\\\\new', 'C:\\new'],
    ['\\101\\x42', 'AB'],
    ['\\xe3\\x81\\x82', 'あ'],
    ['\\343\\201\\202!', 'あ!'],
    ['\\\\x41', '\\x41'],
    ['\\"\\xyz', '"xyz'],
    ['one\u2028line', 'one\u2028line'],
  ] as const) {
    it(`decodes ${JSON.stringify(written)}`, async () => {
      assert.deepEqual(await rowsOf(`text\n${written}\n`, ['text']), [{ text: meant }])
    })
  }

  it('reads Windows line endings and a last line without a newline, and stops at the end marker', async () => {
    assert.deepEqual(await rowsOf('id\r\n1\r\n2', ['id']), [{ id: '1' }, { id: '2' }])
    assert.deepEqual(await rowsOf('id\n1\n\\.\n2\n', ['id']), [{ id: '1' }])
  })

  it('reads characters and lines that span the chunks of a large file', async () => {
    const text = '絵'.repeat(50_000)
    const rows = await rowsOf(`id\ttext\n1\t${text}\n2\t${text}\n`, ['id', 'text'])
    assert.deepEqual(rows, [
      { id: '1', text },
      { id: '2', text },
    ])
  })

  it('names the file and line of a row with a wrong number of columns', async () => {
    const path = join(dir, 'table.tsv')
    await assert.rejects(rowsOf('a\tb\n1\t2\n3\n', ['a']), {
      message:
        `${path}: 1 of 2 rows cannot be read (more or fewer columns than in the header), ` +
        `where --max-bad-rows is 0.1%: ${path}:3.`,
    })
    await assert.rejects(rowsOf('a\tb\n1\t2\t3\n', ['a']), /: 1 of 1 rows .*table\.tsv:2\.$/)
  })

  it('reads a missing column as null and reports it, unless only earlier dumps had the column', async () => {
    assert.deepEqual(await rowsOf('id\n1\n', ['id', 'name'], ['website']), [
      { id: '1', name: null },
    ])
    assert.deepEqual(remarks, ['missing column: table.name'])
    assert.deepEqual(await rowsOf('id\twebsite\n1\tx\n', ['id'], ['website']), [
      { id: '1', website: 'x' },
    ])
  })

  it('yields no rows for a missing table', async () => {
    assert.deepEqual(
      await Array.fromAsync(readTable(await reading('own file'), 'nowhere', ['id'])),
      [],
    )
  })

  it('rejects a table without its header file', async () => {
    await writeFile(join(dir, 'bare'), '1\t2\n')
    const rows = readTable(await reading('own file'), 'bare', ['id'])
    await assert.rejects(Array.fromAsync(rows), /bare\.header is missing/)
  })
})

describe('readBlocks with VNDB dumps from three years', () => {
  for (const [age, rows, title] of [
    ['2022-04-old-column-order', 141, { title: 'Utawarerumono', official: 't' }],
    ['2023-05', 194, { title: 'Utawarerumono', official: 'f' }],
  ] as const) {
    it(`reads the titles in the dump ${age}`, async () => {
      const table = readTable(await slices(age), 'vn_titles', ['id', 'lang', 'title', 'official'])
      const titles = await Array.fromAsync(table)
      assert.equal(titles.length, rows)
      assert.deepEqual(
        titles.find(({ id, lang }) => id === 'v3' && lang === 'en'),
        { id: 'v3', lang: 'en', ...title },
      )
    })
  }

  it('reads the characters of novels in the dump of 2023-05', async () => {
    const table = readTable(await slices('2023-05'), 'chars_vns', [
      'id',
      'vid',
      'rid',
      'role',
      'spoil',
    ])
    const links = await Array.fromAsync(table)
    assert.equal(links.length, 1026)
    assert.deepEqual(links[1], { id: 'c15', vid: 'v11', rid: null, role: 'main', spoil: '0' })
  })

  it('reads the producers in the dump of 2023-06, including a column that was removed later', async () => {
    const folder = await slices('2023-06-old-columns')
    const producers = await Array.fromAsync(
      readTable(folder, 'producers', ['id', 'name', 'alias'], ['website']),
    )
    assert.equal(producers.length, 514)
    assert.deepEqual(
      producers.find(({ id }) => id === 'p6'),
      {
        id: 'p6',
        name: 'TYPE-MOON',
        alias: 'タイプムーン\nType Moon\n型月',
        website: 'http://www.typemoon.com/',
      },
    )
    assert.deepEqual(remarks, [])
  })
})

describe('typed cells', () => {
  it('can be booleans or whole numbers', () => {
    assert.deepEqual(['t', 'f', '', null].map(isTrue), [true, false, false, false])
    assert.deepEqual(['12', '-3', '', 'x', null, undefined].map(integerOf), [
      12,
      -3,
      null,
      null,
      null,
      null,
    ])
  })

  it('can be arrays, including quoted elements', () => {
    assert.deepEqual(arrayOf('{en,ja}'), ['en', 'ja'])
    assert.deepEqual(arrayOf('{"a, b","say \\"hi\\"",NULL,"NULL","",c d}'), [
      'a, b',
      'say "hi"',
      'NULL',
      '',
      'c d',
    ])
    assert.deepEqual(['{}', '', null].map(arrayOf), [[], [], []])
  })

  it('can be full or partial dates', () => {
    const digits = ['20040428', '20040499', '20049999', '99999999', '0', '', null]
    assert.deepEqual(digits.map(partialDate), [
      '2004-04-28',
      '2004-04',
      '2004',
      null,
      null,
      null,
      null,
    ])
    assert.deepEqual(digits.map(fullDay), ['2004-04-28', null, null, null, null, null, null])
  })

  it('can be lists of other names, each once and in order, without empty names or the displayed name', () => {
    assert.deepEqual(
      otherNames(['CLANNAD', null], ['Clannad\n\n クラナド ', null, 'CLANNAD', 'クラナド']),
      ['Clannad', 'クラナド'],
    )
  })
})
