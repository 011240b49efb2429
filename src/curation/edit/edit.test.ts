import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { isDeepStrictEqual } from 'node:util'
import { sql } from 'kysely'
import { eventually } from '#test/browser.ts'
import { importRecords } from '#test/catalog.ts'
import { describeOnDatabase } from '#test/databases.ts'
import { startService, type TestService } from '#test/service.ts'
import { sourceRecords } from '#test/source-records.ts'
import { mergeEntries, unmergeEntries } from '../merge/merge-entries.ts'
import type { SourceRecord } from '../../sources/records/record.ts'
import { EntryRefusedError } from '../merge/entry-refusal.ts'
import { parseField, setField, unsetField } from './edit-field.ts'
import { showEntry } from './show-entry.ts'

const { galgame, person, sameAs } = sourceRecords

const VNDB = galgame(
  'v4',
  {
    origin_title: 'CLANNAD',
    trans_title: 'CLANNAD（VNDB）',
    aliases: ['クラナド', '小鎮家族'],
    homepage: 'https://v.example.org/',
    covers: [
      { url: 'https://v.example.org/c.jpg', width: 1, height: 1, sexual: 0, violence: 0, votes: 1 },
    ],
    external_links: [{ label: 'VNDB', name: 'vndb', url: 'https://vndb.org/v4' }],
    tags: [{ name: 'drama', likes: 2 }],
  },
  {},
  sameAs('bangumi', '13'),
)
const BANGUMI = galgame('13', {
  origin_title: 'CLANNAD -クラナド-',
  trans_title: 'CLANNAD 团子大家族',
  aliases: ['小镇家族', 'ｸﾗﾅﾄﾞ'],
  homepage: 'https://b.example.org/',
  covers: [
    { url: 'https://b.example.org/c.jpg', width: 1, height: 1, sexual: 0, violence: 0, votes: 0 },
  ],
  external_links: [
    { label: 'VNDB', name: 'vndb', url: 'https://vndb.org/v4' },
    { label: 'Official website', name: 'website', url: 'https://b.example.org/' },
  ],
  tags: [
    { name: 'Key', likes: 9 },
    { name: 'drama', likes: 7 },
  ],
})

describeOnDatabase('an entry from several sources', (engine) => {
  let service: TestService
  let db: TestService['db']
  let token: string
  let clannad: number

  before(async () => {
    service = await startService({ engine, content: 'empty' })
    db = service.db
    token = await service.token('catalog:full')
    await importRecords(db, 'bangumi', [BANGUMI])
    await importRecords(db, 'vndb', [VNDB, galgame('v5'), person('s1')])
    const { rows } = await sql<{ id: number }>`
      select entry_id as id from source_records where external_id = 'v4'`.execute(db)
    clannad = rows[0]?.id ?? 0
  })
  after(() => service.close())

  async function shown(path = `galgames/${clannad}`) {
    const response = await service.get(`/api/v3/open/${path}`, token)
    // as: the fields used below
    const { data } = (await response.json()) as {
      data: Record<string, unknown> & { covers: unknown[]; external_links: { url: string }[] }
    }
    return data
  }
  /** Waits until a field has a value. Processes notice a change within a second. */
  const becomes = (name: string, value: unknown, path?: string) =>
    eventually(
      async () => isDeepStrictEqual((await shown(path))[name], value),
      `that ${name} is ${String(value)}`,
    )
  const field = async (name: string) => {
    const { fields } = await showEntry(db, 'galgame', clannad)
    return fields.find((item) => item.field === name)
  }
  const target = (name: string) => ({ kind: 'galgame' as const, id: clannad, field: name })

  it('uses the better source for each field, and merges lists', async () => {
    const data = await shown()
    assert.equal(data['origin_title'], 'CLANNAD')
    assert.equal(data['trans_title'], 'CLANNAD 团子大家族', 'Chinese titles are Bangumi’s')
    assert.equal(data['homepage'], 'https://v.example.org/')
    assert.deepEqual(data['aliases'], [
      'クラナド',
      '小鎮家族',
      '小镇家族',
      'CLANNAD（VNDB）',
      'CLANNAD -クラナド-',
    ])
    assert.equal(data.covers.length, 1, 'covers come from a single source')
    assert.deepEqual(
      data.external_links.map(({ url }) => url),
      ['https://vndb.org/v4', 'https://b.example.org/'],
    )
    assert.deepEqual(data['tags'], [
      { name: 'Key', likes: 9 },
      { name: 'drama', likes: 2 },
    ])
  })

  it('is shown with the origin of each field', async () => {
    assert.deepEqual((await field('trans_title'))?.from, ['bangumi 13'])
    assert.deepEqual((await field('aliases'))?.from, ['vndb v4', 'bangumi 13'])
    assert.deepEqual(
      (await field('homepage'))?.statements.map(
        ({ source, value }) => `${source} ${String(value)}`,
      ),
      ['vndb https://v.example.org/', 'bangumi https://b.example.org/'],
    )
  })

  it('is shown with the languages of a text field side by side', async () => {
    const names = (await showEntry(db, 'galgame', clannad)).fields.map((item) => item.field)
    const first = names.indexOf('origin_title')
    assert.deepEqual(names.slice(first, first + 3), ['origin_title', 'trans_title', 'en_title'])
  })

  describe('a field set by hand', () => {
    it('changes immediately, is preserved by imports, and reverts when it is unset', async () => {
      assert.equal((await setField(db, target('trans_title'), '团子')).done, true)
      assert.equal((await setField(db, target('trans_title'), '团子')).done, false)
      await setField(db, target('aliases'), ['only this'])
      await becomes('trans_title', '团子')
      await becomes('aliases', ['only this'])
      const found = await (await service.get('/api/v3/open/search?q=团子', token)).text()
      assert.match(found, new RegExp(`"id" ?: ?${clannad}\\b`))
      const { rows } = await sql<{ name: string }>`
        select name from listings where kind = 'galgame' and id = ${clannad}`.execute(db)
      assert.equal(rows[0]?.name, '团子')
      await importRecords(db, 'bangumi', [
        {
          ...BANGUMI,
          fields: { ...BANGUMI.fields, homepage: 'https://c.example.org/' },
        } as typeof BANGUMI,
      ])
      await importRecords(db, 'vndb', [VNDB])
      await becomes('trans_title', '团子')
      assert.equal((await field('trans_title'))?.locked, true)
      assert.equal((await unsetField(db, target('trans_title'))).done, true)
      assert.equal((await unsetField(db, target('trans_title'))).done, false)
      await unsetField(db, target('aliases'))
      await becomes('trans_title', 'CLANNAD 团子大家族')
      const { rows: remaining } =
        await sql`select from source_records where source = 'local'`.execute(db)
      assert.equal(remaining.length, 0)
    })

    it('moves with a merge, ranks after the entry’s own value, and moves back when the merge is undone', async () => {
      const { rows } = await sql<{ id: number }>`
        select entry_id as id from source_records where external_id = 'v5'`.execute(db)
      const other = rows[0]?.id ?? 0
      await setField(db, { kind: 'galgame', id: other, field: 'engine' }, 'other')
      await setField(db, { kind: 'galgame', id: other, field: 'adv_type' }, 'other')
      await setField(db, target('engine'), 'own')
      const pair = { kind: 'galgame' as const, from: other, into: clannad }
      await mergeEntries(db, pair)
      await becomes('adv_type', 'other')
      await becomes('engine', 'own')
      await unmergeEntries(db, pair)
      await becomes('adv_type', null)
      await becomes('engine', 'own')
      await becomes('engine', 'other', `galgames/${other}`)
    })

    for (const [kind, name, typed, reason] of [
      [
        'galgame',
        'color',
        'red',
        /galgame has no field color that can be set\. Fields: adv_type, aliases,/,
      ],
      [
        'galgame',
        'trans_titel',
        'x',
        /has no field trans_titel that can be set\. Did you mean trans_title\?/,
      ],
      ['galgame', 'created_at', '2020-01-01', /has no field created_at/],
      ['galgame', 'nsfw', 'perhaps', /^nsfw must be true or false\.$/],
      [
        'galgame',
        'dev_status',
        'DONE',
        /^dev_status must be one of RELEASED, IN_DEVELOPMENT, CANCELLED/,
      ],
      ['galgame', 'release_date', '2004-02-31', /release_date must/],
      ['galgame', 'aliases', '"one"', /^aliases must be an array\.$/],
      ['galgame', 'aliases', 'one', /^aliases must be a JSON array\.$/],
      ['galgame', 'trans_title', '', /^trans_title must not be empty\.$/],
      [
        'galgame',
        'covers',
        '[{"color":1}]',
        /^covers\.0\.\w+ is (?:required|not a known field)\.$/,
      ],
      ['galgame', 'covers', '[{"url":"http://a"}]', /covers\.0/],
      ['character', 'birthday_month', '13', /^birthday_month must be at most 12\.$/],
      ['character', 'height', '"10.5"', /^height must be a number\.$/],
      ['character', 'age', '10.5', /^age must be a whole number\.$/],
      ['manga', 'isbn', '123', /^isbn must have the form 97\d{11}\.$/],
    ] as const)
      it(`is rejected if its value is invalid: ${kind} ${name} ${typed}`, () => {
        assert.throws(
          () => parseField({ kind, field: name }, typed),
          (error) => error instanceof EntryRefusedError && reason.test(error.message),
        )
      })

    it('is rejected with a specific error if it is a day that does not exist', () =>
      assert.throws(
        () => parseField({ kind: 'galgame', field: 'release_date' }, '2023-02-30'),
        new EntryRefusedError({
          code: 'field.invalid',
          fault: {
            field: 'release_date',
            kind: 'format',
            code: 'schema.date',
            params: { format: 'date' },
          },
        }),
      ))

    it('accepts valid values', () => {
      assert.equal(parseField({ kind: 'galgame', field: 'trans_title' }, '"quoted"'), '"quoted"')
      assert.equal(parseField({ kind: 'galgame', field: 'nsfw' }, 'true'), true)
      assert.equal(
        parseField({ kind: 'galgame', field: 'release_date' }, '2004-04-28'),
        '2004-04-28',
      )
      assert.deepEqual(parseField({ kind: 'person', field: 'aliases' }, '["a"]'), ['a'])
    })

    it('does not keep an entry without source records in the catalog, and applies again when a record returns', async () => {
      const { rows } = await sql<{ id: number }>`
        select entry_id as id from source_records where external_id = 's1'`.execute(db)
      const id = rows[0]?.id ?? 0
      await setField(db, { kind: 'person', id, field: 'intro' }, 'Set by hand.')
      const importWhole = (records: SourceRecord[]) =>
        importRecords(db, 'vndb', records, { allowShrink: 'all', isWhole: () => true })
      await importWhole([VNDB, galgame('v5')])
      const statusOf = async () => (await service.get(`/api/v3/open/people/${id}`, token)).status
      await eventually(async () => (await statusOf()) === 404, 'the person is still there')
      await importWhole([VNDB, galgame('v5'), person('s1')])
      await becomes('intro', 'Set by hand.', `people/${id}`)
    })

    it('is rejected for a missing entry', () =>
      assert.rejects(
        setField(db, { kind: 'galgame', id: 999_999, field: 'engine' }, 'x'),
        /galgame 999999 does not exist/,
      ))
  })
})
