import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { pipeline, Readable } from 'node:stream'
import { after, afterEach, before, beforeEach, describe, it } from 'node:test'
import {
  serveFile,
  redirectTo,
  startDumpServer,
  serveText,
  type DumpServer,
} from '#test/dump-server.ts'
import { temporaryFolder } from '#test/program.ts'
import { DOWNLOAD_LIMITS, fetchDump } from './fetch-dump.ts'
import type { DownloadLimits } from './download.ts'

const BYTES = randomBytes(300_000)
const sha256 = createHash('sha256').update(BYTES).digest('hex')

const LIMITS: DownloadLimits = {
  ...DOWNLOAD_LIMITS,
  maxBytes: 1_000_000,
  stallMs: 2_000,
  maxAttempts: 3,
  firstRetryMs: 1,
}

describe('fetchDump', () => {
  let server: DumpServer
  let folder: string
  let remove: () => void
  before(async () => {
    server = await startDumpServer()
  })
  after(() => server.close())
  beforeEach(() => {
    const place = temporaryFolder()
    folder = place.path
    remove = place.remove
    server.requests.length = 0
    server.at('/latest', redirectTo('/dump-2026-11-18.gz'))
    server.at('/dump-2026-11-18.gz', serveFile(BYTES, '"one"'))
    server.at(
      '/dump-2026-11-18.gz.sha256',
      (_request, response) => void response.writeHead(404).end(),
    )
  })
  afterEach(() => remove())

  const fetchNow = (limits: Partial<DownloadLimits> = {}, path = '/latest') =>
    fetchDump('vndb', server.url + path, folder, { ...LIMITS, ...limits })
  const files = () => readdirSync(folder).toSorted()
  /** Returns the requests for the dump itself, without the requests that were redirected. */
  const ofDump = () => server.requests.filter((line) => !/latest|sha256/.test(line))

  /** @param left files that remain in the folder */
  async function assertFails(attempt: Promise<unknown>, message: RegExp, left: string[]) {
    await assert.rejects(attempt, (error: Error) => {
      assert.equal(error.name, 'FetchError')
      assert.match(error.message, message)
      return true
    })
    assert.deepEqual(files(), left)
  }

  it('uses the file name after redirects, and downloads the same dump only once', async () => {
    const first = await fetchNow()
    assert.deepEqual(first, { path: join(folder, 'dump-2026-11-18.gz'), sha256 })
    assert.deepEqual(readFileSync(first.path), BYTES)
    assert.deepEqual(await fetchNow(), first)
    assert.deepEqual(ofDump(), ['200 /dump-2026-11-18.gz', '304 /dump-2026-11-18.gz'])
    assert.deepEqual(files(), ['dump-2026-11-18.gz', 'vndb.json'])
  })

  it('recognizes a dump by the date in its name if the server sends no version', async () => {
    let sent = 0
    server.at('/dump-2026-11-18.gz', (_request, response) => {
      sent += 1
      response.writeHead(200, { 'content-length': BYTES.length }).end(BYTES)
    })
    const first = await fetchNow()
    assert.deepEqual(await fetchNow(), first)
    assert.equal(sent, 2)
    assert.deepEqual(files(), ['dump-2026-11-18.gz', 'vndb.json'])
  })

  it('replaces the previous dump and no other file', async () => {
    await fetchNow()
    server.at('/latest', redirectTo('/dump-2026-11-25.gz'))
    server.at('/dump-2026-11-25.gz', serveFile(BYTES.subarray(1), '"two"'))
    const { path } = await fetchNow()
    assert.deepEqual(readFileSync(path), BYTES.subarray(1))
    assert.deepEqual(files(), ['dump-2026-11-25.gz', 'vndb.json'])
  })

  it('resumes an interrupted download, immediately or in a later run', async () => {
    server.at('/dump-2026-11-18.gz', serveFile(BYTES, '"one"', 120_000))
    await assertFails(fetchNow({ maxAttempts: 1 }), /was cut off|connection was cut/, [
      'vndb.json',
      'vndb.part',
    ])
    let cuts = 0
    server.at('/dump-2026-11-18.gz', (request, response) => {
      cuts += 1
      serveFile(BYTES, '"one"', cuts === 1 ? 240_000 : Infinity)(request, response)
    })
    assert.deepEqual(readFileSync((await fetchNow()).path), BYTES)
    for (const line of ofDump().slice(1)) assert.match(line, /^(206 .* bytes=\d+-|200 \S+)$/)
    assert.ok(
      ofDump().some((line) => line.startsWith('206 ')),
      ofDump().join('; '),
    )
  })

  it('restarts an interrupted download from the beginning if the file has changed', async () => {
    server.at('/dump-2026-11-18.gz', serveFile(BYTES, '"one"', 120_000))
    await assertFails(fetchNow({ maxAttempts: 1 }), /cut/, ['vndb.json', 'vndb.part'])
    const other = randomBytes(200_000)
    server.at('/dump-2026-11-18.gz', serveFile(other, '"two"'))
    assert.deepEqual(readFileSync((await fetchNow()).path), other)
  })

  it('gives up on a stalled download after a timeout, and resumes it later', async () => {
    server.at('/dump-2026-11-18.gz', (_request, response) => {
      response.writeHead(200, { etag: '"one"', 'content-length': BYTES.length })
      response.write(BYTES.subarray(0, 50_000))
    })
    await assertFails(fetchNow({ maxAttempts: 1, stallMs: 100 }), /no data arrived for too long/, [
      'vndb.json',
      'vndb.part',
    ])
    server.at('/dump-2026-11-18.gz', serveFile(BYTES, '"one"'))
    assert.deepEqual(readFileSync((await fetchNow()).path), BYTES)
    assert.deepEqual(ofDump().at(-1), '206 /dump-2026-11-18.gz bytes=50000-')
  })

  for (const [published, handler] of [
    ['beside it', serveText(`${sha256}  dump-2026-11-18.gz\n`)],
    ['nowhere', undefined],
  ] as const)
    it(`accepts a dump whose checksum is published ${published}`, async () => {
      if (handler) server.at('/dump-2026-11-18.gz.sha256', handler)
      assert.equal((await fetchNow()).sha256, sha256)
    })

  it('deletes a dump with a wrong checksum', async () => {
    server.at('/dump-2026-11-18.gz.sha256', serveText('ab'.repeat(32)))
    await assertFails(fetchNow(), /is damaged: its checksum is .* instead of (ab){32}/, [
      'vndb.json',
    ])
  })

  describe('fetchDump with a GitHub release asset', () => {
    const index = (digest: string) =>
      serveText(
        JSON.stringify({
          name: 'dump-2026-11-18.210303Z.zip',
          browser_download_url: `${server.url}/dump-2026-11-18.gz`,
          digest,
        }),
        'application/json',
      )
    it('uses the name and checksum of the asset, and does not download a known asset again', async () => {
      server.at('/latest.json', index(`sha256:${sha256}`))
      const { path } = await fetchNow({}, '/latest.json')
      await fetchNow({}, '/latest.json')
      assert.equal(path, join(folder, 'dump-2026-11-18.210303Z.zip'))
      assert.deepEqual(ofDump(), ['200 /dump-2026-11-18.gz'])
    })

    it('deletes a dump with a wrong checksum', async () => {
      server.at('/latest.json', index(`sha256:${'cd'.repeat(32)}`))
      await assertFails(fetchNow({}, '/latest.json'), /is damaged/, ['vndb.json'])
    })

    it('rejects a response that does not name the URL of a dump', async () => {
      for (const text of [
        '{}',
        'not JSON',
        '[]',
        '{"browser_download_url":"file:///etc/passwd"}',
      ]) {
        server.at('/latest.json', serveText(text))
        await assertFails(fetchNow({}, '/latest.json'), /does not name a dump|not a valid URL/, [])
      }
    })
  })

  it('limits the size of a dump, whether or not the server announces it', async () => {
    await assertFails(fetchNow({ maxBytes: 299_999 }), /is larger than 1 MiB/, ['vndb.json'])
    const endless = function* () {
      for (;;) yield BYTES
    }
    server.at('/dump-2026-11-18.gz', (_request, response) => {
      pipeline(Readable.from(endless()), response, () => {})
    })
    await assertFails(fetchNow(), /is larger than 1 MiB/, ['vndb.json'])
  })

  it('does not start a download without enough disk space', async () => {
    await assertFails(
      fetchNow({ freeBytes: async () => 1000 }),
      /needs 1 MiB, but .* only has 1 MiB left/,
      ['vndb.json'],
    )
  })

  it('reports a missing file or an HTML page with a one-line error', async () => {
    await assertFails(
      fetchNow({}, '/nothing'),
      /\/nothing returned status 404: the file does not exist\.$/,
      [],
    )
    server.at('/page', serveText('<!doctype html>', 'text/html; charset=utf-8'))
    await assertFails(fetchNow({}, '/page'), /\/page is an HTML page, not a dump\.$/, [])
    server.at('/busy', (_request, response) => response.writeHead(503).end())
    await assertFails(fetchNow({}, '/busy'), /\/busy returned status 503\.$/, [])
    assert.equal(server.requests.filter((line) => line === '503 /busy').length, LIMITS.maxAttempts)
    const stoppedServer = await startDumpServer()
    await stoppedServer.close()
    await assertFails(
      fetchDump('vndb', 'http://nowhere.invalid/a', folder, LIMITS),
      /^http:\/\/nowhere\.invalid\/a could not be fetched: the host name .* \((ENOTFOUND|EAI_AGAIN)\)\.$/,
      [],
    )
    await assertFails(
      fetchDump('vndb', `${stoppedServer.url}/a`, folder, LIMITS),
      /could not be fetched: the server refuses connections \(ECONNREFUSED\)\.$/,
      [],
    )
  })

  it('ignores folders in a file name', async () => {
    server.at('/a/%2e%2e%2fpasswd', serveFile(BYTES, '"one"'))
    server.at('/vndb.json', serveFile(BYTES, '"one"'))
    const { path } = await fetchNow({}, '/a/%2e%2e%2fpasswd')
    assert.equal(dirname(path), folder)
  })
})
