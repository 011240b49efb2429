import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, it } from 'node:test'
import { sql } from 'kysely'
import { accountPages, fillForm, PASSWORD } from '#test/account-pages.ts'
import { waitForBlocked } from '#test/blocked-connections.ts'
import { eventually, formTo, type PlainBrowser } from '#test/browser.ts'
import { describeOnDatabase } from '#test/databases.ts'
import { createAccounts, writeRating } from '#test/ratings.ts'
import { asAnotherProcess } from '#test/refuse-second-connections.ts'
import { first, sampleWorks } from '#test/sample-works.ts'
import { removeFolder, scratchFolder } from '#test/scratch-folder.ts'
import { startService, type TestService } from '#test/service.ts'
import { updateListings } from '#test/update-listings.ts'
import { banAccount, unbanAccount } from '../accounts/ban-queries.ts'
import { requestDeletion } from '../accounts/deletion-queries.ts'
import { savePreferences } from '../accounts/preferences/queries.ts'
import { exportAccount } from '../accounts/profile/export.ts'
import { hashToken } from '../kernel/opaque-tokens.ts'
import { followProfile } from '../profiles/follow-queries.ts'
import { saveProfileSettings } from '../profiles/queries.ts'
import { STATUSES } from '../ratings/fields.ts'

const PATH = '/account/feeds'
const FILES = ['calendar.ics', 'notifications.xml']
const LIMIT = 3

describeOnDatabase('private feeds', (engine) => {
  const folder = scratchFolder('private-feeds')
  const accessLog = join(folder, 'access.log')
  let service: TestService
  let pages: ReturnType<typeof accountPages>
  /** Every secret that a test has used. */
  const used: string[] = []
  before(async () => {
    service = await startService({ engine, environment: { ACCESS_LOG: accessLog } })
    pages = accountPages(service)
  })
  after(async () => {
    await service.close()
    removeFolder(folder)
  })

  const secretsIn = (text: string) => [
    ...new Set(text.match(/(?<=\/feeds\/)mkf_[\w-]{43}(?=\/)/g) ?? []),
  ]
  async function create(browser: PlainBrowser): Promise<string> {
    const { status, text } = await fillForm(browser, PATH, { current_password: PASSWORD })
    assert.equal(status, 200)
    const secrets = secretsIn(text)
    assert.equal(secrets.length, 1, 'both addresses have the same secret')
    used.push(...secrets)
    return first(secrets)
  }
  async function createUserWithFeeds() {
    const user = await pages.createSignedInUser()
    return { ...user, secret: await create(user.browser) }
  }
  const get = (secret: string, file = 'calendar.ics', init: RequestInit = {}) =>
    fetch(`${service.url}/feeds/${secret}/${file}`, init)
  const statusesOf = async (secret: string) => {
    const responses = await Promise.all(FILES.map((file) => get(secret, file)))
    return [...new Set(responses.map(({ status }) => status))].join()
  }
  const rowsOf = (accountId: number) =>
    service.db.selectFrom('private_feeds').selectAll().where('account_id', '=', accountId).execute()

  it('are created with the password, shown once, and stored as a hash', async () => {
    const { browser, id, email } = await pages.createSignedInUser()
    assert.match((await browser.get(PATH)).text, /Your feeds are off/)
    assert.equal((await fillForm(browser, PATH, { current_password: 'wrong one' })).status, 422)
    assert.deepEqual(await rowsOf(id), [])
    const secret = await create(browser)
    const [row] = await rowsOf(id)
    assert.equal(row?.secret_hash, hashToken(secret))
    const { text } = await browser.get(PATH)
    assert.ok(text.includes('Your feeds are on') && !text.includes(secret))
    const exported = await exportAccount(service.db, id)
    assert.deepEqual(exported?.private_feeds, { created_at: row?.created_at })
    assert.equal(first(await pages.eventKinds(id)), 'feeds_created')
    const mails = await sql<{
      kind: string
    }>`select kind from mails where email = ${email}`.execute(service.db)
    const isSent = service.logged.some((line) => JSON.stringify(line).includes('feeds_created'))
    assert.ok(isSent || mails.rows.some(({ kind }) => kind === 'feeds_created'))
  })

  it('contain the releases of works that the owner plans, reads or has put on hold', async () => {
    const { id, secret } = await createUserWithFeeds()
    const { db } = service
    const games = (await sampleWorks(db)).galgame
    const adult = first((await sampleWorks(db, true)).galgame)
    assert.ok(games.length >= STATUSES.length)
    const day = new Date().toISOString().slice(0, 10)
    await sql`update galgames set release_date = ${day}::date where id in (${sql.join([...games, adult])})`.execute(
      db,
    )
    await updateListings(db)
    for (const [index, status] of STATUSES.entries())
      await writeRating(db, id, { kind: 'galgame', id: games[index] ?? 0 }, { status })
    await writeRating(db, id, { kind: 'galgame', id: adult }, { status: 'PLAN' })
    const listed = async () =>
      [...(await (await get(secret)).text()).matchAll(/^URL:.*\/galgames\/(\d+)/gm)]
        .map(([, work]) => Number(work))
        .toSorted((a, b) => a - b)
    const expected = games
      .slice(0, STATUSES.length)
      .filter((_game, index) => !['COMPLETED', 'DROPPED'].includes(STATUSES[index] ?? ''))
    const sorted = (works: number[]) => works.toSorted((a, b) => a - b)
    assert.deepEqual(await listed(), sorted(expected))
    await savePreferences(db, id, true)
    assert.deepEqual(await listed(), sorted([...expected, adult]))
    const { secret: stranger } = await createUserWithFeeds()
    assert.doesNotMatch(await (await get(stranger)).text(), /VEVENT/)
  })

  it('contain notifications by day, without followers whose profile is not public', async () => {
    const { id, secret } = await createUserWithFeeds()
    const { db } = service
    const publish = (account: number) =>
      saveProfileSettings(db, account, (stored) => ({ ...stored, is_shown: true }))
    const [open = 0, hidden = 0] = await createAccounts(db, 2)
    for (const account of [id, open]) await publish(account)
    for (const account of [open, hidden])
      assert.equal(await followProfile(db, account, id), 'followed')
    const text = await (await get(secret, 'notifications.xml')).text()
    assert.equal(text.match(/<entry>/g)?.length, 1)
    assert.match(text, new RegExp(`#followers-${open}</id><title>New follower · `))
    assert.doesNotMatch(text, new RegExp(`followers-${hidden}\\b`))
    assert.match(text, /<updated>\d{4}-\d\d-\d\dT00:00:00\.000Z<\/updated>/)
    assert.ok(!text.includes(secret), 'readers may publish the content')
  })

  it('are in the language of the owner, whatever browser reads them', async () => {
    const { id, browser, secret } = await createUserWithFeeds()
    const nameIn = async (file: string, headers: Record<string, string>) =>
      /<title>(.*?) · |X-WR-CALNAME:.*? · (.*)\r/.exec(
        await (await get(secret, file, { headers })).text(),
      )
    assert.ok((await nameIn('notifications.xml', { 'accept-language': 'ko' }))?.includes('알림'))
    await savePreferences(service.db, id, false, {
      language: 'ja',
      time_zone: null,
      shows_spoilers: false,
      title_preference: 'original',
    })
    const cookie = browser.cookieHeader('/')
    for (const headers of [{ 'accept-language': 'ko' }, { cookie, 'accept-language': 'ko' }]) {
      assert.ok((await nameIn('notifications.xml', headers))?.includes('通知'))
      assert.ok((await nameIn('calendar.ics', headers))?.includes('マイリストの発売予定'))
    }
  })

  it('send headers that keep the address private, 304 for the same ETag, and no body for HEAD', async () => {
    const { secret } = await createUserWithFeeds()
    for (const file of FILES) {
      const response = await get(secret, file)
      for (const [name, value] of [
        ['cache-control', /^private/],
        ['referrer-policy', /^no-referrer$/],
        ['x-robots-tag', /^noindex$/],
      ] as const)
        assert.match(response.headers.get(name) ?? '', value, file)
      assert.equal(response.headers.get('set-cookie'), null)
      const headers = { 'if-none-match': response.headers.get('etag') ?? '' }
      assert.equal((await get(secret, file, { headers })).status, 304, file)
      const head = await get(secret, file, { method: 'HEAD' })
      assert.deepEqual([head.status, await head.text()], [200, ''], file)
    }
  })

  it('end when they are replaced or turned off, and when their owner is banned or leaves', async () => {
    const { id, browser, secret } = await createUserWithFeeds()
    const other = await createUserWithFeeds()
    assert.equal(await statusesOf(secret), '200')
    const second = await create(browser)
    assert.deepEqual([await statusesOf(secret), await statusesOf(second)], ['404', '200'])
    await banAccount(service.db, id, 'spam')
    assert.equal(await statusesOf(second), '404')
    await unbanAccount(service.db, id)
    assert.equal(await statusesOf(second), '200')
    const again = await pages.signIn((await pages.account(id)).email)
    await fillForm(again, PATH, {}, `${PATH}/off`)
    assert.equal(await statusesOf(second), '404')
    assert.equal(first(await pages.eventKinds(id)), 'feeds_removed')
    assert.equal((await exportAccount(service.db, id))?.private_feeds, null)
    const third = await create(again)
    await requestDeletion(service.db, id, { language: 'en' })
    assert.equal(await statusesOf(third), '404')
    assert.deepEqual(await rowsOf(id), [])
    assert.equal(await statusesOf(other.secret), '200', 'other users keep theirs')
  })

  it('respond identically to every wrong secret', async () => {
    const { id, secret } = await createUserWithFeeds()
    await banAccount(service.db, id, 'spam')
    const [row] = await rowsOf(id)
    const responses = await Promise.all(
      [
        secret,
        `mkf_${'A'.repeat(43)}`,
        `mkf_${row?.secret_hash ?? ''}`,
        row?.secret_hash ?? '',
        `${secret}A`,
        secret.toUpperCase(),
        'x',
        '%00',
        '__proto__',
      ].map(async (wrong) => {
        const response = await get(wrong)
        const headers = [...response.headers].filter(
          ([name]) => !/^(date|x-request-id|.*ratelimit.*)$/.test(name),
        )
        return JSON.stringify([response.status, headers, await response.text()])
      }),
    )
    assert.match(responses[0] ?? '', /^\[404,/)
    // NUL is rejected before any lookup.
    assert.deepEqual(new Set(responses.filter((_response, index) => index !== 7)).size, 1)
  })

  it('are created once if a form is submitted several times at once or the page is reloaded', async () => {
    const { id, browser } = await pages.createSignedInUser()
    const page = await browser.get(PATH)
    const form = formTo(page, PATH)
    const submit = () => browser.submit(page, { current_password: PASSWORD }, form)
    const visits = await Promise.all([submit(), submit(), submit()])
    assert.deepEqual(visits.map(({ status }) => status).toSorted(), [200, 409, 409])
    const secret = first(visits.flatMap(({ text }) => secretsIn(text)))
    used.push(secret)
    assert.equal((await submit()).status, 409)
    assert.equal(await statusesOf(secret), '200')
    await fillForm(browser, PATH, {}, `${PATH}/off`)
    assert.equal((await submit()).status, 409, 'the page of a feed that was turned off')
    assert.deepEqual(await rowsOf(id), [])
  })

  if (engine === 'server')
    it('are not created by a form that waited while they were turned off', async () => {
      const { id, browser } = await createUserWithFeeds()
      const page = await browser.get(PATH)
      const submit = (password: string, path: string) =>
        asAnotherProcess(() =>
          browser.submit(page, { current_password: password }, formTo(page, path)),
        )
      const done: Promise<{ status: number }>[] = []
      await service.db.transaction().execute(async (trx) => {
        await sql`select from private_feeds where account_id = ${id} for update`.execute(trx)
        done.push(submit('', `${PATH}/off`))
        await waitForBlocked(trx, 1)
        done.push(submit(PASSWORD, PATH))
        await waitForBlocked(trx, 2)
      })
      const [, created] = await Promise.all(done)
      assert.equal(created?.status, 409)
      assert.deepEqual(await rowsOf(id), [])
    })

  it('keep their secret out of logs, whatever the path around it', async () => {
    const { secret } = await createUserWithFeeds()
    const encoded = secret.replace('mkf', '%6dkf')
    for (const path of [
      `/feeds/${secret}/calendar.ics?ui_locales=en`,
      `/feeds/${encoded}/calendar.ics`,
      `/feeds/${secret}/calendar.ics/`,
      `/feeds/${secret}`,
      `/feeds/${secret}/%zz`,
      `//feeds/${secret}/x`,
    ])
      for (const method of ['GET', 'POST'])
        await fetch(service.url + path, { method, redirect: 'manual' })
    await sql`alter table private_feeds rename to missing`.execute(service.db)
    try {
      assert.equal((await get(secret)).status, 500)
    } finally {
      await sql`alter table missing rename to private_feeds`.execute(service.db)
    }
    await fetch(`${service.url}/last`)
    const linesOf = () => readFileSync(accessLog, 'utf8')
    await eventually(async () => linesOf().includes('"/last"'))
    const log = JSON.stringify(service.logged)
    const lines = linesOf()
    assert.ok(log.includes('/feeds/:secret/') && lines.includes('/feeds/:secret/'))
    assert.ok(used.length > 0)
    for (const known of used)
      // Without the prefix, which the path may contain encoded.
      for (const text of [log, lines]) assert.ok(!text.includes(known.slice(4)), known)
  })
})

describeOnDatabase('guesses of secrets of private feeds', (engine) => {
  it('count as failed authentications of the IP address, and do not block a valid secret', async () => {
    const service = await startService({
      engine,
      environment: { FAILED_AUTHENTICATIONS_PER_MINUTE: String(LIMIT) },
    })
    try {
      const { browser } = await accountPages(service).createSignedInUser()
      const { text } = await fillForm(browser, PATH, { current_password: PASSWORD })
      const [address = ''] = /\/feeds\/mkf_[\w-]{43}\/calendar\.ics/.exec(text) ?? []
      const wrong = async (index: number) =>
        (await fetch(`${service.url}/feeds/mkf_${String(index).padEnd(43, 'A')}/calendar.ics`))
          .status
      const statuses = []
      for (let index = 0; index <= LIMIT; index += 1) statuses.push(await wrong(index))
      assert.deepEqual(statuses, [404, 404, 404, 429])
      const token = await service.get('/v3/user/me/rates', 'mkp_wrong')
      assert.equal(token.status, 429, 'other credentials share the limit')
      assert.equal((await fetch(service.url + address)).status, 200)
    } finally {
      await service.close()
    }
  })
})
