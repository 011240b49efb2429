import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { sql } from 'kysely'
import { zipOf } from '#test/archives.ts'
import { GAME } from '#test/bangumi-rows.ts'
import { describeOnDatabase } from '#test/databases.ts'
import { readDump, temporaryDumps } from '#test/dumps.ts'
import { openTestDatabase, type OpenTestDatabase } from '#test/open-database.ts'
import { DumpError } from '../sources/dump/dump-error.ts'
import { importSource } from './import-source.ts'
import { previewImport } from './preview.ts'
import type { SourceRecord } from '../sources/records/record.ts'
import { openSource } from './sources.ts'
import { textOfRemark } from './remarks.ts'
import type { SourceName } from '../sources/registry.ts'

/** Terminal escape sequence that sets the window title. */
const COMMAND = '\u001B]0;owned\u0007'
// oxlint-disable-next-line no-control-regex -- matches control characters on purpose
const UNPRINTABLE = /[\u0000-\u001F\u007F-\u009F\u202E\u2028]/

const isOneShortLine = (text: string, longest: number) => {
  assert.ok(text.length <= longest, `${text.length} characters`)
  assert.doesNotMatch(text, UNPRINTABLE)
}

describe('the reason for a rejected dump', () => {
  const { fileOf, folderOf } = temporaryDumps()

  const NAMES = [`${COMMAND}\u202Ea`, 'long'.repeat(3_000)]
  const dumps = (name: string): [SourceName, string | Uint8Array][] => {
    const table = `COPY public."${name}" (a) FROM stdin;\n1\n\\.\n`
    return [
      ['ranobedb', `${table}${table}`],
      [
        'ranobedb',
        `-- PostgreSQL database dump\n\n${table}\n-- PostgreSQL database dump complete\n`,
      ],
      [
        'bangumi',
        zipOf([
          { name, body: 'a' },
          { name, body: 'b' },
        ]),
      ],
      ['bangumi', zipOf([{ name: `../${name}`, body: 'a' }])],
      ['bangumi', zipOf([{ name: `${name}/vn`, body: 'a' }])],
    ]
  }
  it('is one short line without control characters', async () => {
    for (const name of NAMES)
      for (const [source, bytes] of dumps(name))
        await assert.rejects(openSource(source, fileOf(bytes)), (error: Error) => {
          assert.ok(error instanceof DumpError, String(error))
          isOneShortLine(error.message, 800)
          return true
        })
  })

  it('does not quote a row that is not JSON', async () => {
    const folder = folderOf({ 'subject.jsonlines': `{"secret": "${COMMAND}hunter2"\n` })
    await assert.rejects(readDump('bangumi', folder, { note: () => {} }), (error: Error) => {
      assert.doesNotMatch(error.message, /hunter2/)
      isOneShortLine(error.message, 800)
      return true
    })
  })
})

describeOnDatabase('an import summary', (engine) => {
  let database: OpenTestDatabase
  const { folderOf } = temporaryDumps()
  before(async () => void (database = await openTestDatabase(engine, 'empty')))
  after(() => database.remove())
  const long = `${COMMAND}${'あ'.repeat(100_000)}`

  it('limits the number of remarks and the length of their examples', async () => {
    const rows = [
      { ...GAME, id: 1, name: 'a' },
      { ...GAME, id: 2, name: long, meta_tags: [] },
      ...Array.from({ length: 1_000 }, (_, index) => ({
        ...GAME,
        id: 3 + index,
        type: 1_000 + index,
        name: 'b',
      })),
    ]
    const folder = folderOf({
      'subject.jsonlines': rows.map((row) => JSON.stringify(row)).join('\n'),
    })
    const { records, close } = await openSource('bangumi', folder, {
      allowMissing: 'any',
      maxBadRows: { text: '100%', share: 1 },
    })
    const { remarks } = await importSource(database.db, 'bangumi', records).finally(close)
    assert.ok(remarks.length < 250, `${remarks.length} remarks`)
    assert.equal(
      remarks
        .filter((remark) => /^not imported: |^other/.test(textOfRemark('en', remark)))
        .reduce((sum, { count }) => sum + count, 0),
      1_001,
    )
    for (const { example = '', ...remark } of remarks) {
      isOneShortLine(textOfRemark('en', remark), 200)
      isOneShortLine(example, 200)
    }
  })

  it('shortens long titles in a preview', async () => {
    const person: SourceRecord = {
      kind: 'person',
      external_id: 's1',
      fields: { name: long.slice(0, 900) },
    }
    const { examples } = await previewImport(database.db, 'vndb', async function* () {
      yield person
    })
    const [example] = examples.created
    isOneShortLine(example?.title ?? '', 200)
    assert.match(example?.title ?? '', /^\]0;owned あ+…$/)
  })

  it('truncates a long failure reason', async () => {
    await assert.rejects(
      importSource(database.db, 'vndb', () => {
        throw new Error(long)
      }),
    )
    const { rows } = await sql<{
      error: string
    }>`select error from import_runs order by id desc limit 1`.execute(database.db)
    isOneShortLine(rows[0]?.error ?? '', 2_000)
  })
})
