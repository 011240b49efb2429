import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { gzipSync } from 'node:zlib'
import { describeOnDatabase } from '#test/databases.ts'
import { signIn } from '#test/user-api.ts'
import type { TestService } from '#test/service.ts'
import { shareService } from '#test/shared-service.ts'
import {
  readFixture,
  LIST_IMPORT_PATH,
  createImporter,
  type ImportResponse,
  type Importer,
} from '#test/list-imports.ts'

const MEBIBYTE = 1024 * 1024
const open = '<vndb-export version="1.0"><vns>'
const close = '</vns></vndb-export>'

// These checks run before any query, so a single database is enough.
describeOnDatabase('an uploaded file', (engine) => {
  let service: TestService
  let token: string
  let send: Importer
  before(async () => {
    service = await shareService(engine)
    const me = await signIn(service)
    token = me.token
    send = createImporter(service, me)
  })
  after(() => service.close())

  function assertRefused(response: ImportResponse, message: RegExp, field = 'body') {
    assert.equal(response.status, 422, JSON.stringify(response))
    assert.equal(response.code, 'COMMON_VALIDATION_FAILED')
    assert.deepEqual(response.fields, [field])
    assert.equal(response.message, `${field} is not valid.`)
    const [fault = ''] = response.faults
    assert.match(fault, message)
    assert.ok(fault.length < 260, fault)
  }

  it('is rejected if the request does not name a known source', async () => {
    assertRefused(
      await send({ source: 'steam' }, '<a/>'),
      /must be one of vndb, bangumi, mal, mokuroku/,
      'source',
    )
    assertRefused(await send({}, '<a/>'), /required/, 'source')
    assertRefused(
      await send({ source: 'vndb', dry_run: 'perhaps' }, '<a/>'),
      /must be true or false/,
      'dry_run',
    )
    assertRefused(
      await send({ source: 'vndb', overwrite: 'perhaps' }, '<a/>'),
      /must be true or false/,
      'overwrite',
    )
  })

  it('is rejected if it is empty', async () => {
    for (const source of ['vndb', 'bangumi', 'mal', 'mokuroku']) {
      assertRefused(await send({ source }, ''), /is empty/)
      assertRefused(await send({ source }, null), /is empty/)
    }
  })

  it('is rejected with line and column if it is not well-formed XML', async () => {
    const cases: [file: string, message: RegExp][] = [
      [`${open}\n<vn id="v1"><title>T</vn>${close}`, /line 2, column \d+: unexpected close tag/],
      [`${open}<vn id="v1">`, /line 1, column \d+: unclosed tag/],
      ['no XML at all', /line 1, column 1: not XML/],
      [`${open}<vn id=v1/>${close}`, /unquoted attribute/],
      [`${open}&undeclared;${close}`, /undefined entity/],
      [`${open}&toString;${close}`, /undefined entity/],
      [`${open}\0${close}`, /disallowed character/],
      [`${open}&#0;${close}`, /malformed character entity|disallowed/],
      [`${open}&#xD800;${close}`, /malformed character entity|disallowed/],
      [`${open}<${'x'.repeat(100_000)}></y>${close}`, /line 1, column \d+: /],
      [`${open}${close}<more/>`, /line 1/],
    ]
    for (const [file, message] of cases)
      assertRefused(await send({ source: 'vndb' }, file), message)
  })

  it('is rejected if it has a different format', async () => {
    assertRefused(
      await send({ source: 'vndb' }, '<html></html>'),
      /line 1, column \d+: the root element is <html>, not <vndb-export>/,
    )
    assertRefused(
      await send({ source: 'mal' }, await readFixture('vndb-list.xml')),
      /not <myanimelist>/,
    )
    assertRefused(
      await send(
        { source: 'vndb' },
        await readFixture('bangumi-collections.json'),
        'application/json',
      ),
      /line 1, column 1: not XML/,
    )
    assertRefused(
      await send({ source: 'bangumi' }, await readFixture('vndb-list.xml')),
      /is not valid JSON: .*</,
    )
    assertRefused(
      await send({ source: 'bangumi' }, { items: [] }),
      /"data" is not a list of collections/,
    )
    assertRefused(
      await send({ source: 'bangumi' }, '7', 'application/json'),
      /is not a response from Bangumi/,
    )
    assertRefused(
      await send({ source: 'mokuroku' }, { data: { items: [] } }),
      /"ratings" is not a list/,
    )
    assertRefused(
      await send({ source: 'mokuroku' }, 'null', 'application/json'),
      /is not a mokuroku export/,
    )
    const anime =
      '<myanimelist><anime><series_animedb_id>1</series_animedb_id></anime></myanimelist>'
    assertRefused(await send({ source: 'mal' }, anime), /is an anime list/)
  })

  it('is rejected if it has a DOCTYPE', async () => {
    const laughs = Array.from(
      { length: 9 },
      (_, level) => `<!ENTITY l${level + 1} "${`&l${level};`.repeat(10)}">`,
    )
    const doctypes = [
      '<!DOCTYPE vndb-export>',
      `<!DOCTYPE vndb-export [<!ENTITY l0 "ha">${laughs.join('')}]>`,
      '<!DOCTYPE vndb-export [<!ENTITY file SYSTEM "file:///etc/passwd">]>',
      '<!DOCTYPE vndb-export SYSTEM "http://127.0.0.1:1/list.dtd">',
      '<!DOCTYPE vndb-export [<!ENTITY % remote SYSTEM "http://127.0.0.1:1/x"> %remote;]>',
    ]
    for (const doctype of doctypes) {
      const file = `<?xml version="1.0"?>${doctype}${open}<vn id="v4"><title>&l9;&file;</title></vn>${close}`
      assertRefused(await send({ source: 'vndb' }, file), /DOCTYPE is not allowed/)
    }
  })

  it('is rejected if it is nested too deeply or has too many rows', async () => {
    const deep = `${open}${'<a>'.repeat(200_000)}`
    assertRefused(await send({ source: 'vndb' }, deep), /elements are nested more than 16 deep/)
    const json = `{"data":${'['.repeat(1_000_000)}`
    assertRefused(await send({ source: 'bangumi' }, json, 'application/json'), /is not valid JSON/)
    const nested = `{"data":[${'['.repeat(100_000)}${']'.repeat(100_000)}]}`
    assert.equal(
      (await send({ source: 'bangumi' }, nested, 'application/json')).data.counts.invalid,
      1,
    )
    assertRefused(
      await send({ source: 'vndb' }, `${open}${'<vn id="v9"/>'.repeat(50_001)}${close}`),
      /has more than 50000 rows/,
    )
    assertRefused(
      await send({ source: 'bangumi' }, `[${'7,'.repeat(50_000)}7]`, 'application/json'),
      /has more than 50000 rows/,
    )
  })

  it('neither blocks other requests nor uses much memory if it has many small values', async () => {
    const many = gzipSync(`[${'{},'.repeat(10_000_000)}{}]`)
    const entry = `[{"work_type":"galgame","work_id":1,${Array.from({ length: 60_000 }, (_, index) => `"k${index}":1,`).join('')}"z":1}]`
    const wrapped = `{${'"a":[],'.repeat(20_000)}"ratings":[]}`
    const attributes = `<vn ${Array.from({ length: 65 }, (_, index) => `a${index}="1"`).join(' ')}/>`
    const before = process.memoryUsage().rss
    assertRefused(
      await send({ source: 'mokuroku' }, many, 'application/gzip'),
      /more than 50000 rows/,
    )
    assert.ok(process.memoryUsage().rss - before < 500 * 1024 * 1024, 'the file was read in one go')
    assertRefused(
      await send({ source: 'mokuroku' }, entry, 'application/json'),
      /an entry larger than 512 KiB/,
    )
    assertRefused(
      await send({ source: 'mokuroku' }, wrapped, 'application/json'),
      /too much text outside its list/,
    )
    assertRefused(
      await send({ source: 'vndb' }, `${open}${attributes}${close}`),
      /more than 64 attributes/,
    )
    assertRefused(
      await send(
        { source: 'vndb' },
        `${open}<vn id="v4">${'<label id="2"/>'.repeat(1_001)}</vn>${close}`,
      ),
      /more than 1000 elements in one element/,
    )
    assertRefused(
      await send({ source: 'vndb' }, `${open}<!--${'-a'.repeat(MEBIBYTE)}`),
      /more than 1 MiB without an element/,
    )
  })

  it('is parsed as JSON.parse would parse it', async () => {
    const rating = {
      work_type: 'galgame',
      external_ids: { vndb: 'v4' },
      rate: 7,
      rate_content: '[{"\\\\"]},:',
    }
    const text = JSON.stringify(rating)
    const good = [
      `[${text}]`,
      ` [ ${text} ] `,
      `\uFEFF{"\\"ratings":[1],"ratings":[${text}],"x":{"ratings":[1,[2]]}}`,
      JSON.stringify(
        { success: true, data: { exported_at: 'now', ratings: [rating] }, request_id: '[,"' },
        null,
        2,
      ),
    ]
    for (const file of good) {
      const { data, message } = await send({ source: 'mokuroku' }, file, 'application/json')
      assert.equal(data?.counts.created, 1, `${file}: ${message}`)
      assert.equal(data.counts.total, 1, file)
    }
    for (const file of [
      `[${text},]`,
      `[,${text}]`,
      `[${text} ${text}]`,
      `[${text}}`,
      `[${text}]]`,
      `[${text}`,
      `{"ratings":[${text}]`,
      `[{]}]`,
      '["',
    ])
      assertRefused(
        await send({ source: 'mokuroku' }, file, 'application/json'),
        /is not valid JSON/,
      )
    for (const file of ['[]', ' [\n] ', '{"ratings":[ ]}'])
      assert.equal(
        (await send({ source: 'mokuroku' }, file, 'application/json')).data.counts.total,
        0,
      )
  })

  it('is rejected if it is not UTF-8', async () => {
    const latin = Buffer.from(`${open}<vn id="v4"><title>\xe9</title></vn>${close}`, 'latin1')
    assertRefused(await send({ source: 'vndb' }, latin), /is not UTF-8 text/)
    const utf16File = Buffer.from(`\ufeff${open}${close}`, 'utf16le')
    assertRefused(await send({ source: 'vndb' }, utf16File), /is not UTF-8 text/)
    assertRefused(
      await send({ source: 'bangumi' }, Buffer.from([0x22, 0xff, 0x22]), 'application/json'),
      /UTF-8/,
    )
    const cut = Buffer.from(`${open}é`).subarray(0, -1)
    assertRefused(await send({ source: 'vndb' }, cut), /is not UTF-8 text/)
  })

  it('may have a byte order mark, and characters that span chunks', async () => {
    const rows = '<vn id="v999999"><title>漢字😀</title><vote>7</vote></vn>'.repeat(5_000)
    const { data } = await send({ source: 'vndb' }, `\ufeff${open}${rows}${close}`)
    assert.equal(data.counts.unmatched, 5_000)
    for (const { title } of data.rows) assert.equal(title, '漢字😀')
  })

  it('is rejected with 413 if it is larger than 10 MiB', async () => {
    const response = await send({ source: 'vndb' }, Buffer.alloc(10 * MEBIBYTE + 1, 0x20))
    assert.deepEqual(
      [response.status, response.code, response.message],
      [413, 'COMMON_BAD_REQUEST', 'The file is larger than 10 MiB.'],
    )
    const padding = Buffer.alloc(10 * MEBIBYTE - 52, '<x/>')
    const just = Buffer.concat([Buffer.from(open), padding, Buffer.from(close)])
    assert.equal(just.length, 10 * MEBIBYTE)
    assert.equal((await send({ source: 'vndb' }, just)).status, 200)
  })

  it('is rejected with 413 if it decompresses to more than 32 MiB, and with 422 if it is damaged', async () => {
    const bomb = gzipSync(Buffer.alloc(64 * MEBIBYTE))
    assert.ok(bomb.length < MEBIBYTE)
    const response = await send({ source: 'mal' }, bomb, 'application/gzip')
    assert.deepEqual(
      [response.status, response.code, response.message],
      [413, 'COMMON_BAD_REQUEST', 'The file is larger than 32 MiB when unpacked.'],
    )
    const packed = gzipSync(await readFixture('mal-manga-list.xml'))
    assertRefused(
      await send({ source: 'mal' }, packed.subarray(0, 200), 'application/gzip'),
      /is a damaged gzip file/,
    )
    assertRefused(
      await send({ source: 'mal' }, Buffer.from([0x1f, 0x8b]), 'application/gzip'),
      /is a damaged gzip file/,
    )
  })

  it('is rejected with 415 if it has another content type', async () => {
    for (const type of [
      'text/plain',
      'application/x-www-form-urlencoded',
      'multipart/form-data',
      'application/octet-stream',
    ]) {
      const response = await send({ source: 'vndb' }, `${open}${close}`, type)
      assert.deepEqual(
        [response.status, response.code, response.message],
        [
          415,
          'COMMON_BAD_REQUEST',
          'Send the file as one of application/json, application/xml, text/xml, application/gzip, application/x-gzip.',
        ],
      )
    }
  })

  it('is accepted with any listed content type and a charset', async () => {
    for (const type of [
      'text/xml; charset=utf-8',
      'application/xml',
      'application/json',
      'application/x-gzip',
    ])
      assert.equal((await send({ source: 'vndb' }, `${open}${close}`, type)).status, 200)
  })

  it('does not affect the limit of 64 KiB for JSON on other routes', async () => {
    const headers = { authorization: `Bearer ${token}` }
    const put = (type: string, body: string) =>
      fetch(`${service.url}/v3/user/me/rates/galgames/1`, {
        method: 'PUT',
        headers: { ...headers, 'content-type': type },
        body,
      })
    assert.equal((await put('application/xml', '<a/>')).status, 415)
    assert.equal(
      (await put('application/json', JSON.stringify({ rate_content: 'x'.repeat(70_000) }))).status,
      413,
    )
    assert.equal((await put('application/json', '{}')).status, 200)
    const other = await fetch(`${service.url}${LIST_IMPORT_PATH}`, { method: 'GET', headers })
    assert.equal(other.status, 405)
  })

  it('does not block other requests while it is read', async () => {
    const rows = '<vn id="v999999"><title>A title of a game</title><vote>7</vote></vn>'.repeat(
      49_000,
    )
    const done = new AbortController()
    let responses = 0
    const watch = async () => {
      while (!done.signal.aborted) {
        await fetch(`${service.url}/health/live`)
        responses += 1
      }
    }
    const watching = watch()
    const { data } = await send({ source: 'vndb' }, `${open}${rows}${close}`)
    done.abort()
    await watching
    assert.equal(data.counts.total, 49_000)
    assert.ok(responses > 10, `only ${responses} responses in the meantime`)
  })
})
