import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { crc32, deflateSync } from 'node:zlib'
import { sql } from 'kysely'
import sharp from 'sharp'
import { addAccount } from '#test/accounts.ts'
import { signedInBrowser } from '#test/authorization.ts'
import { describeOnEachDatabase } from '#test/databases.ts'
import { makeTestPicture } from '#test/picture-origin.ts'
import type { TestService } from '#test/service.ts'
import { shareService } from '#test/shared-service.ts'
import { banAccount, unbanAccount } from '../accounts/ban-queries.ts'
import { deleteByAge } from '../retention/delete-by-age.ts'
import { findAccount } from '../accounts/queries.ts'
import { deleteAccount } from '../accounts/deletion-queries.ts'
import { setRole } from '../accounts/role-queries.ts'
import { findClaims } from '../identity/claims.ts'
import { hideSubject, restoreSubject } from '../moderation/hide-queries.ts'
import { createReport } from '../moderation/report-queries.ts'
import { findSubject } from '../moderation/subject-queries.ts'
import { listOwnTakedowns } from '../moderation/takedown-queries.ts'
import { saveUpload } from './upload-queries.ts'

const PASSWORD = 'a long enough one'
const PATH = '/account/profile/picture'

describeOnEachDatabase('uploaded pictures', (engine) => {
  let service: TestService
  let people = 0
  before(async () => {
    service = await shareService(engine)
  })
  after(() => service.close())

  it('cause a client error if the form is malformed', async () => {
    for (const [type, body, expected] of [
      ['multipart/form-data', 'no boundary', 400],
      [
        'multipart/form-data; boundary=x',
        '--x\r\ncontent-disposition: form-data; name="a"\r\n\r\n',
        400,
      ],
      [
        'multipart/form-data; boundary=x',
        `${Array.from({ length: 21 }, (_, name) => `--x\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n\r\n`).join('')}--x--\r\n`,
        413,
      ],
    ] as const) {
      const { browser } = await createUploader()
      const cookie = browser.cookieHeader(PATH)
      const headers = { cookie, origin: service.url, accept: 'text/html', 'content-type': type }
      const { status } = await fetch(service.url + PATH, { method: 'POST', headers, body })
      assert.equal(status, expected, body.slice(0, 40))
    }
  })

  async function createUploader() {
    people += 1
    const email = `painter-${people}@example.com`
    const id = await addAccount(service.db, { email, name: 'Ei', password: PASSWORD })
    const browser = await signedInBrowser(service, { email, password: PASSWORD })
    const token = async () =>
      (await browser.get(PATH)).forms.find(({ action }) => action === PATH)?.fields['_csrf'] ?? ''
    return {
      id,
      browser,
      /** Encodes a form like a browser. */
      async upload(bytes: Uint8Array | undefined, { type = 'image/jpeg', csrf = true } = {}) {
        const body = new FormData()
        if (csrf) body.set('_csrf', await token())
        if (bytes) body.set('picture', new File([new Uint8Array(bytes)], '../../x.svg', { type }))
        const cookie = browser.cookieHeader(PATH)
        const response = await fetch(service.url + PATH, {
          method: 'POST',
          body,
          headers: { cookie, origin: service.url, accept: 'text/html' },
          redirect: 'manual',
        })
        return { status: response.status, text: await response.text() }
      },
      picture: async () => {
        const { rows } = await sql<{ picture: string | null }>`
          select picture from accounts where id = ${id}`.execute(service.db)
        return rows[0]?.picture ?? null
      },
    }
  }
  const amount = async (id: number) => {
    const { rows } = await sql<{ amount: number }>`
      select count(*)::integer as amount from uploads where account_id = ${id}`.execute(service.db)
    return rows[0]?.amount
  }

  it('are served as a square of at most 512 pixels, without any other data from the file', async () => {
    const { id, browser, upload, picture } = await createUploader()
    const sent = await sharp(await makeTestPicture(1_600, 900))
      .withExif({ IFD0: { Artist: 'where it was taken' } })
      .jpeg()
      .toBuffer()
    const polyglot = Buffer.concat([sent, Buffer.from('<script>alert(1)</script>and a zip')])
    assert.equal((await upload(polyglot)).status, 303)
    const path = (await picture()) ?? ''
    assert.match(path, /^\/uploads\/[\w-]{43}\.webp$/)

    const response = await service.get(path)
    assert.equal(response.status, 200)
    const { headers } = response
    assert.equal(headers.get('content-type'), 'image/webp')
    assert.equal(headers.get('cache-control'), 'public, max-age=31536000, immutable')
    assert.equal(headers.get('x-content-type-options'), 'nosniff')
    assert.equal(headers.get('content-security-policy'), "default-src 'none'; sandbox")
    const bytes = Buffer.from(await response.arrayBuffer())
    const { width, height, exif, format } = await sharp(bytes).metadata()
    assert.deepEqual([width, height, exif, format], [512, 512, undefined, 'webp'])
    assert.doesNotMatch(bytes.toString('latin1'), /where it was taken|<script>|and a zip/)
    const repeated = await service.get(path, undefined, {
      'if-none-match': headers.get('etag') ?? '',
    })
    assert.equal(repeated.status, 304)

    assert.match((await browser.get('/')).text, new RegExp(`<header.*src="${path}"`, 's'))
    assert.equal(
      (await findClaims(service.db, String(id), service.config.authUrl))?.picture,
      service.config.authUrl + path,
    )
  })

  it('are deleted when removed or replaced, and with the account', async () => {
    const { id, browser, upload, picture } = await createUploader()
    assert.equal((await upload(await makeTestPicture(300, 300))).status, 303)
    const first = (await picture()) ?? ''
    assert.equal((await upload(await makeTestPicture(301, 200))).status, 303)
    assert.notEqual(await picture(), first)
    assert.equal((await service.get(first)).status, 404)
    assert.equal(await amount(id), 1)
    const saved = await browser.submit(await browser.get('/account/profile'), { name: 'Ei 2' })
    assert.equal(saved.status, 200)
    assert.notEqual(await picture(), null, 'the other form leaves it')
    const page = await browser.get(PATH)
    await browser.press(page, `${PATH}/remove`)
    assert.equal(await picture(), null)
    assert.equal(await amount(id), 0)

    assert.equal((await upload(await makeTestPicture(300, 300))).status, 303)
    await deleteAccount(service.db, id)
    assert.equal(await amount(id), 0)
    assert.equal((await service.get(first)).status, 404)
  })

  it('belong to one account each: deleting a picture does not affect another user’s copy', async () => {
    const [first, second] = [await createUploader(), await createUploader()]
    const bytes = await makeTestPicture(220, 220)
    await first.upload(bytes)
    await second.upload(bytes)
    const path = (await first.picture()) ?? ''
    assert.equal(await second.picture(), path)
    await deleteAccount(service.db, first.id)
    assert.equal((await service.get(path)).status, 200)
    // A reference to a picture does not make the account its owner.
    const third = await createUploader()
    const page = await third.browser.get('/account/profile')
    const refused = await third.browser.submit(page, { picture: path })
    assert.equal(refused.status, 422)
    assert.equal(await third.picture(), null)
  })

  it('are rejected with a reason if they are not acceptable', async () => {
    const { upload, picture } = await createUploader()
    const svg = '<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>'
    const cases: [string, Uint8Array | undefined, RegExp][] = [
      ['nothing', undefined, /Choose a picture/],
      ['an empty file', Buffer.alloc(0), /Choose a picture/],
      ['a text', Buffer.from('hello'), /can’t read this file as a picture/],
      ['SVG', Buffer.from(svg), /SVG isn’t supported/],
      [
        'half a picture',
        (await makeTestPicture()).subarray(0, 2_000),
        /can’t read this file as a picture/,
      ],
      [
        'six MiB',
        Buffer.concat([await makeTestPicture(), Buffer.alloc(6 * 1024 * 1024)]),
        /maximum is 5 MiB/,
      ],
      ['a bomb', bomb(30_000, 30_000), /maximum is 24 million/],
      ['an animation of thousands of frames', frames(2_000), /Choose a still picture/],
    ]
    for (const [name, bytes, message] of cases) {
      const { status, text } = await upload(bytes, { type: 'image/png' })
      assert.equal(status, 422, name)
      assert.match(text, message, name)
    }
    assert.equal(await picture(), null)
    assert.equal((await upload(await makeTestPicture(), { csrf: false })).status, 403)
    assert.equal((await upload(Buffer.alloc(11 * 1024 * 1024))).status, 413)
  })

  it('remain available to moderators while reported, even after they are replaced', async () => {
    const [owner, moderator] = [await createUploader(), await createUploader()]
    await setRole(service.db, moderator.id, 'MODERATOR')
    await owner.upload(await makeTestPicture(300, 300))
    const first = (await owner.picture()) ?? ''
    const named = { kind: 'PICTURE', type: 'profile', id: owner.id } as const
    const created = await createReport(service.db, moderator.id, {
      named,
      reason: 'SEXUAL',
      note: '',
    })
    assert.ok('report' in created)
    await owner.upload(await makeTestPicture(301, 200))
    assert.notEqual(await owner.picture(), first)
    const path = new URL(first, service.url).pathname
    assert.equal((await service.get(path)).status, 200)
    const page = await moderator.browser.get(`/desk/reports/${created.report.id}`)
    assert.ok(page.text.includes(`<img class="face large" src="${path}"`), page.text)
    await moderator.browser.press(page, '/dismiss', { note: 'Fine.' })
    await sql`update uploads set created_at = now() - interval '61 minutes' where account_id = ${owner.id}`.execute(
      service.db,
    )
    await deleteByAge(service.db)
    assert.equal((await service.get(path)).status, 404)
  })

  it('share a URL if identical, which works until each owner is banned or has had the picture taken down', async () => {
    const picture = await makeTestPicture(60, 60)
    const [first, second] = [await createUploader(), await createUploader()]
    await first.upload(picture)
    await second.upload(picture)
    const pictureUrl = (await findAccount(service.db, first.id))?.picture ?? ''
    const statusOf = async () =>
      (await service.get(new URL(pictureUrl, service.url).pathname)).status
    const hide = async (id: number) => {
      const subject = await findSubject(service.db, { kind: 'PICTURE', type: 'profile', id })
      assert.ok(subject)
      await hideSubject(service.db, subject, { reason: 'HATE', note: 'N' }, {})
    }
    await hide(first.id)
    assert.equal(await statusOf(), 200)
    await banAccount(service.db, second.id, 'R')
    assert.equal(await statusOf(), 404)
    await unbanAccount(service.db, second.id)
    assert.equal(await statusOf(), 200)
    await hide(second.id)
    assert.equal(await statusOf(), 404)
    const [takedown] = await listOwnTakedowns(service.db, second.id)
    assert.ok(takedown)
    assert.equal(await restoreSubject(service.db, takedown, 'Fine.', {}), 'restored')
    assert.equal(await statusOf(), 200)
  })

  it('are unavailable after a ban, and after a takedown of the same file even if an app uses it as its logo', async () => {
    const [one, developer, other] = [
      await createUploader(),
      await createUploader(),
      await createUploader(),
    ]
    const keepLogo = async (bytes: Buffer) => {
      const upload = await saveUpload(service.db, developer.id, bytes)
      assert.ok('hash' in upload)
      const { clientId } = await service.createApp({ accountId: developer.id })
      await sql`update apps set logo_hash = ${upload.hash} where client_id = ${clientId}`.execute(
        service.db,
      )
      return `/uploads/${upload.hash}.webp`
    }
    const statusOf = async (path: string) => (await service.get(path)).status
    const shared = await makeTestPicture(70, 70)
    const pictureUrl = await keepLogo(shared)
    await one.upload(shared)
    assert.equal(await one.picture(), pictureUrl)
    const subject = await findSubject(service.db, { kind: 'PICTURE', type: 'profile', id: one.id })
    assert.ok(subject)
    await hideSubject(service.db, subject, { reason: 'HATE', note: 'N' }, {})
    assert.equal(await statusOf(pictureUrl), 404, 'the logo does not count')
    await other.upload(shared)
    assert.equal(await statusOf(pictureUrl), 200, 'another reader shows it')
    await banAccount(service.db, other.id, 'R')
    assert.equal(await statusOf(pictureUrl), 404)

    const logo = await keepLogo(await makeTestPicture(71, 71))
    assert.equal(await statusOf(logo), 200)
    await banAccount(service.db, developer.id, 'R')
    assert.equal(await statusOf(logo), 404)
    await unbanAccount(service.db, developer.id)
    assert.equal(await statusOf(logo), 200)
  })

  it('have a lower pixel limit in formats that require more memory', async () => {
    const { id } = await createUploader()
    const picture = (width: number, height: number) =>
      sharp({ create: { width, height, channels: 3, background: '#123' } })
    const keep = async (bytes: Buffer) => saveUpload(service.db, id, bytes)
    const tooMany = { fault: 'picture_too_many_pixels' }
    assert.deepEqual(
      await keep(await picture(2_001, 2_000).avif({ effort: 0 }).toBuffer()),
      tooMany,
    )
    const deep = { effort: 0, bitdepth: 10 } as const
    assert.deepEqual(await keep(await picture(2_000, 1_001).avif(deep).toBuffer()), tooMany)
    assert.ok('hash' in (await keep(await picture(1_000, 1_000).avif(deep).toBuffer())))
    assert.deepEqual(await keep(bomb(24_000_000, 1)), tooMany)
    for (const [width, height] of [
      [16_385, 1],
      [1, 16_385],
    ] as const)
      assert.deepEqual(await keep(bomb(width, height)), tooMany, `${width} x ${height}`)
  })

  it('return 404 if they do not exist', async () => {
    for (const file of [`${'a'.repeat(43)}.webp`, 'x.webp', '..%2Fx', `${'a'.repeat(43)}.png`])
      assert.equal((await service.get(`/uploads/${file}`)).status, 404, file)
  })
})

/** A PNG of a few kilobytes with the given dimensions. */
function bomb(width: number, height: number): Buffer {
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  header.set([1, 0, 0, 0, 0], 8)
  const rows = deflateSync(Buffer.alloc((Math.ceil(width / 8) + 1) * Math.min(height, 1_000)))
  return Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    chunk('IHDR', header),
    chunk('IDAT', rows),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

function chunk(name: string, data: Buffer): Buffer {
  const length = Buffer.alloc(4)
  length.writeUInt32BE(data.length)
  const body = Buffer.concat([Buffer.from(name), data])
  const sum = Buffer.alloc(4)
  sum.writeUInt32BE(crc32(body))
  return Buffer.concat([length, body, sum])
}

/** A GIF of one pixel with many frames. */
function frames(count: number): Buffer {
  const start = Buffer.from('GIF89a\x01\x00\x01\x00\x80\x00\x00\x00\x00\x00\xff\xff\xff', 'latin1')
  const frame = Buffer.from(
    '\x21\xf9\x04\x00\x01\x00\x00\x00\x2c\x00\x00\x00\x00\x01\x00\x01\x00\x00\x02\x02\x44\x01\x00',
    'latin1',
  )
  return Buffer.concat([start, ...Array.from({ length: count }, () => frame), Buffer.from(';')])
}
