import assert from 'node:assert/strict'
import { after, before, beforeEach, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import { csrfTokenOf, eventually, PlainBrowser, type Visit } from '#test/browser.ts'
import {
  createDatabase,
  skipEmbedded,
  describeOnDatabase,
  type TestDatabase,
} from '#test/databases.ts'
import { readFixture } from '#test/list-imports.ts'
import {
  createLibraryUser,
  worksOfEachKind,
  type LibraryUser,
  type WorksOfEachKind,
} from '#test/library-user.ts'
import { spawnService } from '#test/service-process.ts'
import { startService, type TestService } from '#test/service.ts'
import { statementsOf } from '#test/statements.ts'
import { countBlocked, waitForBlocked } from '#test/blocked-connections.ts'
import { deleteByAge } from '../../retention/delete-by-age.ts'
import { queryText } from '../../db/query.ts'

const environment = { PAGE_REQUESTS_PER_MINUTE: '1000000' }

describeOnDatabase('the import pages', (engine) => {
  let database: TestDatabase
  let service: TestService
  let works: WorksOfEachKind
  let user: LibraryUser
  before(async () => {
    database = await createDatabase(engine, 'sample')
    service = await startService({ engine, database, environment })
    works = await worksOfEachKind(service)
  })
  after(async () => {
    await service.close()
    await database.remove()
  })
  beforeEach(async () => {
    user = await createLibraryUser(service, works)
  })

  async function upload(
    source: string,
    file: Uint8Array | string | undefined,
    { as = user }: { as?: { browser: PlainBrowser } } = {},
  ) {
    const form = new FormData()
    form.set('_csrf', csrfTokenOf(await as.browser.get('/library/import')))
    form.set('source', source)
    // as: a view of memory that is not shared
    if (file !== undefined) form.set('file', new File([file as string], 'list.xml'))
    return as.browser.postForm('/library/import', form)
  }
  const vndb = (...novels: string[]) =>
    `<?xml version="1.0"?><vndb-export version="1.0"><vns>${novels.join('')}</vns></vndb-export>`
  const novel = (id: string, title: string, vote = 7) =>
    `<vn id="${id}"><title>${title}</title><vote>${vote}</vote></vn>`
  const records = () =>
    queryText<{ work_id: number; status: string; rate: number | null }>(
      service.db,
      'select work_id, status, rate from ratings where account_id = $1 order by work_id',
      [user.accountId],
    )
  const history = async () =>
    (
      await queryText(service.db, 'select from rating_changes where account_id = $1', [
        user.accountId,
      ])
    ).length
  const stepOf = ({ url }: Visit) => new URL(url).pathname.split('/').at(-1)
  const press: PlainBrowser['press'] = (...form) => user.browser.press(...form)
  const amountOf = ({ text }: Visit, label: string) =>
    Number(new RegExp(`<dt>${label}</dt><dd>([\\d,]+)<`).exec(text)?.[1] ?? Number.NaN)

  it('import a list in four steps and undo it', async () => {
    const start = await upload('vndb', gzipSync(await readFixture('vndb-list.xml')))
    assert.equal(stepOf(start), 'works')
    assert.equal(amountOf(start, 'Found'), 7)
    assert.equal(amountOf(start, 'Not found'), 1)
    assert.match(start.text, /Not imported: release/)
    assert.deepEqual(await records(), [], 'nothing is stored')

    const changes = await user.browser.get(start.url.replace(/works$/, 'changes'))
    assert.match(
      changes.text,
      /CLANNAD<\/span><\/a>\s*<\/div>\s*<ul class="changes"><li>Score: 9\.5<\/li><li>Status: Finished/,
    )
    assert.match(changes.text, />Import 7</)
    const done = await press(changes, '/take-over')
    assert.equal(stepOf(done), 'done')
    assert.equal(amountOf(done, 'New'), 7)
    assert.equal((await records()).length, 6)

    await user.mark({ status: 'DROPPED', rate: '' }, `galgames/${(await records())[0]?.work_id}`)
    const undone = await press(done, '/undo')
    assert.match(
      undone.text,
      /<h1>Import undone<.*6 works were restored\. 1 work was changed since/s,
    )
    assert.doesNotMatch(undone.text, /<dl class="sums /, 'the totals are no longer shown')
    assert.deepEqual(
      (await records()).map(({ status }) => status),
      ['DROPPED'],
    )
    await press(done, '/undo')
    assert.equal((await records()).length, 1, 'undone once')
  })

  it(
    'plan two users’ lists at once without occupying connections that other requests need',
    { skip: skipEmbedded(engine) },
    async () => {
      const users = await Promise.all(
        Array.from({ length: 4 }, () => createLibraryUser(service, works)),
      )
      const starts = await Promise.all(
        users.map((as) => upload('vndb', vndb(novel('v4', 'CLANNAD')), { as })),
      )
      let planned: Promise<Visit>[] = []
      await service.db.transaction().execute(async (trx) => {
        await queryText(trx, 'lock table source_records in access exclusive mode', [])
        const countPlans = () => countBlocked(trx, 'key.rank')
        planned = users.map(({ browser }, index) =>
          browser.get(starts[index]?.url.replace(/works$/, 'changes') ?? ''),
        )
        await eventually(async () => (await countPlans()) >= 2, 'two waiting plans')
        // Gives the other requests time to proceed if nothing blocks them.
        await sleep(500)
        assert.equal(await countPlans(), 2)
      })
      for (const page of await Promise.all(planned))
        assert.deepEqual([page.status, stepOf(page)], [200, 'changes'])
    },
  )

  it('let the user choose the work for a row, or skip the row', async () => {
    const page = await upload(
      'vndb',
      vndb(novel('v987001', 'CLANNAD'), novel('v987002', 'Nothing like it'), novel('v17', 'E')),
    )
    assert.equal(amountOf(page, 'Not found'), 2)
    const [, id = ''] =
      /name="work" value="(\d+)">Choose<span class="unseen">: CLANNAD</.exec(page.text) ?? []
    assert.notEqual(id, '', 'search offers it by the title of the row')
    const searched = await user.browser.get(`${page.url}?row=2&q=clannad`)
    assert.equal(searched.text.match(/>Choose<span class="unseen">: CLANNAD</g)?.length, 2)

    const row = (number: number) => {
      const form = page.forms.find(
        ({ fields, action }) => fields['row'] === String(number) && action.endsWith('/works'),
      )
      assert.ok(form)
      return { ...form, method: 'post', fields: { ...form.fields, _csrf: csrfTokenOf(page) } }
    }
    for (const wrong of [String(works.manga), '999999', 'x', '0'])
      assert.equal((await user.browser.submit(page, { work: wrong }, row(1))).status, 422, wrong)
    const chosen = await user.browser.submit(page, { work: id }, row(1))
    assert.equal(amountOf(chosen, 'Chosen by you'), 1)
    assert.equal(amountOf(chosen, 'Not found'), 1)
    const withoutWork = await user.browser.submit(page, { work: 'none' }, row(2))
    assert.equal(amountOf(withoutWork, 'Not found'), 0)
    const repeated = await user.browser.submit(page, { work: '' }, row(2))
    assert.equal(amountOf(repeated, 'Not found'), 1)
    const changes = await user.browser.get(page.url.replace(/works$/, 'changes'))
    await press(changes, '/take-over')
    assert.ok((await records()).some(({ work_id: workId }) => workId === Number(id)))
    assert.equal((await records()).length, 2)
  })

  it('plan a file only once for all views of the second step', async () => {
    const page = await upload('vndb', vndb(novel('v987003', 'CLANNAD'), novel('v17', 'E')))
    const plansOf = async (work: () => Promise<unknown>) =>
      (await statementsOf(work)).filter(({ sql }) => sql.includes('as key(row integer')).length
    const view = (query = '') => user.browser.get(page.url.split(/[?#]/, 1)[0] + query)
    const changes = page.url.replace(/works$/, 'changes')
    assert.equal(await plansOf(() => user.browser.get(changes)), 1)
    assert.equal(await plansOf(() => view()), 0)
    assert.equal(await plansOf(() => view('?page=2')), 0)
    assert.equal(await plansOf(() => view('?row=1&q=clannad')), 0)
    await press(page, '/works', { row: '1', work: 'none' })
    assert.equal(await plansOf(() => view()), 0)
  })

  it('keep existing ratings unless the user chooses to overwrite them, and show old and new values', async () => {
    const list = vndb(novel('v17', 'E', 9))
    await press(
      await user.browser.get((await upload('vndb', list)).url.replace(/works$/, 'changes')),
      '/take-over',
    )
    const page = await upload('vndb', vndb(novel('v17', 'E', 4)))
    const mine = await user.browser.get(page.url.replace(/works$/, 'changes'))
    assert.match(mine.text, /There is nothing to import/)
    const overwriting = await user.browser.get(page.url.replace(/works$/, 'changes?take=theirs'))
    assert.match(overwriting.text, /Score: 9\.0 → 4\.0/)
    const done = await press(overwriting, '/take-over')
    assert.deepEqual(
      (await records()).map(({ rate }) => rate),
      [4],
    )
    await press(done, '/undo')
    assert.deepEqual(
      (await records()).map(({ rate }) => rate),
      [9],
    )
  })

  it('run an import only once even if the form is submitted again, and redirect later visits to the result', async () => {
    const page = await upload('vndb', await readFixture('vndb-list.xml'))
    const changes = await user.browser.get(page.url.replace(/works$/, 'changes'))
    const presses = await Promise.all([1, 2, 3].map(() => press(changes, '/take-over')))
    for (const done of presses) assert.equal(amountOf(done, 'New'), 7)
    assert.equal(await history(), 7)
    assert.equal(stepOf(await user.browser.get(page.url)), 'done')
  })

  it('store one file per user for an hour, and afterwards state that it has expired', async () => {
    const first = await upload('vndb', await readFixture('vndb-list.xml'))
    assert.match(
      (await user.browser.get('/library/import')).text,
      /You have an unfinished import from VNDB/,
    )
    const changes = await user.browser.get(first.url.replace(/works$/, 'changes'))
    const second = await upload('bangumi', await readFixture('bangumi-collections.json'))
    for (const page of [await user.browser.get(first.url), await press(changes, '/take-over')]) {
      assert.equal(page.status, 404)
      assert.match(page.text, /This import has ended/)
    }
    const other = await createLibraryUser(service, works)
    assert.equal(
      (await other.browser.get(second.url)).status,
      404,
      'other users cannot open the import',
    )
    assert.deepEqual(await records(), [])
    await queryText(
      service.db,
      `update list_imports set expires_at = now() where account_id = $1`,
      [user.accountId],
    )
    assert.equal((await user.browser.get(second.url)).status, 404)
    assert.equal((await deleteByAge(service.db)).list_imports, 1)
    const third = await upload('vndb', vndb(novel('v17', 'E')))
    await press(await user.browser.get('/library/import'), '/forget')
    assert.equal((await user.browser.get(third.url)).status, 404)
  })

  it('explain in one sentence why a file is rejected, and store nothing', async () => {
    const json = JSON.stringify([{ subject_id: 13, subject_type: 4, type: 2 }])
    const cases: [
      source: string,
      file: Uint8Array | string | undefined,
      status: number,
      text: RegExp,
    ][] = [
      ['vndb', undefined, 422, /Choose a file/],
      ['no', 'x', 422, /Choose where the list is from/],
      ['vndb', '', 422, /The file is empty/],
      ['vndb', Buffer.from('PK\x03\x04rest', 'latin1'), 422, /This is a zip archive/],
      ['vndb', gzipSync('x').subarray(0, 12), 422, /isn’t a file from VNDB, or it’s damaged/],
      [
        'vndb',
        gzipSync(Buffer.alloc(33 * 1024 * 1024, ' ')),
        413,
        /larger than 32 MiB when unpacked/,
      ],
      ['vndb', Buffer.alloc(10 * 1024 * 1024 + 70_000, ' '), 413, /larger than 10 MiB/],
      ['vndb', '<vndb-export><vns><vn', 422, /damaged.*<p>line 1/s],
      ['vndb', vndb(), 422, /The file contains no works/],
      ['vndb', json, 422, /This file is from Bangumi/],
      ['bangumi', await readFixture('mal-manga-list.xml'), 422, /This file is from MyAnimeList/],
      ['mal', '<myanimelist><anime><a/></anime></myanimelist>', 422, /anime list/],
      ['mokuroku', '{"a": 1}', 422, /isn’t a file from mokuroku/],
    ]
    for (const [source, file, status, text] of cases) {
      const page = await upload(source, file)
      assert.equal(page.status, status, String(text))
      assert.match(page.text, text)
      assert.match(page.text, /id="file"/, 'the form is there again')
    }
    assert.deepEqual(
      await queryText(service.db, 'select from list_imports where account_id = $1', [
        user.accountId,
      ]),
      [],
    )
  })

  it('reject forged forms, and require a sign-in', async () => {
    const form = new FormData()
    form.set('source', 'vndb')
    form.set('file', new File(['x'], 'x'))
    assert.equal((await user.browser.postForm('/library/import', form)).status, 403)
    for (const step of ['works', 'take-over', 'undo', 'forget'])
      assert.equal(
        (await user.browser.post(`/library/import/x/${step}`, { work: '1' })).status,
        403,
      )
    user.browser.forgetCookies()
    for (const step of ['', '/x/works', '/x/changes', '/x/done'])
      assert.equal(
        new URL((await user.browser.get(`/library/import${step}`)).url).pathname,
        '/sign-in',
      )
  })

  const several = { skip: skipEmbedded(engine) }

  it('can be served by a different process in each step', several, async () => {
    const page = await upload('vndb', await readFixture('vndb-list.xml'))
    const second = await startService({ engine, database, environment })
    try {
      const browser = new PlainBrowser(second.url)
      for (const [name, value] of Object.entries(user.browser.cookies()))
        browser.setCookie(name, value)
      const changes = await browser.get(new URL(page.url).pathname.replace(/works$/, 'changes'))
      assert.equal(amountOf(await browser.press(changes, '/take-over'), 'New'), 7)
    } finally {
      await second.close()
    }
    assert.equal(stepOf(await user.browser.get(page.url)), 'done')
    assert.equal((await records()).length, 6)
  })

  it(
    'continue after a crash in any step, without duplicate or partial changes',
    { ...several, timeout: 240_000 },
    async () => {
      const start = () =>
        spawnService({
          DATABASE_URL: database.databaseUrl,
          DATA_DIR: database.dataDir,
          ...environment,
        })
      let process = await start()
      /** Kills the process with SIGKILL and starts another, which the same browser uses. */
      async function kill() {
        await process.stop('SIGKILL')
        process = await start()
      }
      const browser = () => {
        const now = new PlainBrowser(process.url)
        for (const [name, value] of Object.entries(user.browser.cookies()))
          now.setCookie(name, value)
        return now
      }
      const at = (path: string) => browser().get(path)
      const press = (visit: Visit, end: string, fields: Record<string, string> = {}) => {
        const form = visit.forms.find(
          ({ action, method }) => action.endsWith(end) && method === 'post',
        )
        assert.ok(form, `a form of ${end} at ${visit.url}`)
        // The page may come from the killed process.
        const { href: url } = new URL(new URL(visit.url).pathname, process.url)
        return browser().submit({ ...visit, url }, fields, form)
      }
      /** Kills the process while it handles the press of a button. */
      async function killWithin(visit: Visit, end: string) {
        await service.db.transaction().execute(async (trx) => {
          await queryText(trx, 'lock table rating_changes in exclusive mode', [])
          const outcome = press(visit, end).catch((error: unknown) => error)
          await waitForBlocked(trx, 1)
          await process.stop('SIGKILL')
          assert.ok((await outcome) instanceof Error, 'nobody answers')
        })
        process = await start()
      }
      try {
        const uploaded = await upload('vndb', await readFixture('vndb-list.xml'), {
          as: { browser: browser() },
        })
        const { pathname } = new URL(uploaded.url)
        await kill()
        const works = await at(pathname)
        assert.equal(amountOf(works, 'Found'), 7)
        const row = works.forms.find(({ fields }) => 'row' in fields)?.fields['row'] ?? ''
        const { search } = new URL(`?row=${row}&q=planetarian`, works.url)
        const offered = await at(pathname + search)
        const [, work = ''] = /name="work" value="(\d+)">Choose/.exec(offered.text) ?? []
        const form = offered.forms.find(
          ({ fields, action }) => fields['row'] === row && action.endsWith('/works'),
        )
        assert.ok(form)
        await browser().submit(offered, { work }, { ...form, method: 'post' })
        const path = (step: string) => pathname.replace(/works$/, step)
        await killWithin(await at(path('changes')), '/take-over')
        assert.deepEqual([await records(), await history()], [[], 0], 'no partial changes')
        assert.equal(
          amountOf(await at(pathname), 'Chosen by you'),
          1,
          'the chosen works are stored',
        )
        const changes = await at(path('changes'))
        assert.equal(amountOf(await press(changes, '/take-over'), 'New'), 8)
        await kill()
        const repeated = await press(changes, '/take-over')
        assert.deepEqual([stepOf(repeated), amountOf(repeated, 'New')], ['done', 8])
        assert.deepEqual([(await records()).length, await history()], [7, 8], 'nothing doubled')

        await killWithin(repeated, '/undo')
        assert.equal((await records()).length, 7, 'no partial changes')
        assert.match((await press(await at(path('done')), '/undo')).text, /8 works were restored/)
        assert.deepEqual(await records(), [])
      } finally {
        await process.stop('SIGKILL')
      }
    },
  )

  it('reject other changes to the list while an import is running', several, async () => {
    await user.mark({ status: 'PLAN', rate: '' })
    await service.db.transaction().execute(async (trx) => {
      await queryText(trx, 'select from account_refs where id = $1 for no key update', [
        user.accountId,
      ])
      const refused = await user.mark({ status: 'COMPLETED', rate: '' })
      assert.equal(refused.status, 409)
      assert.match(refused.text, /Import in progress/)
    })
    assert.equal((await user.stored())?.status, 'PLAN')
  })
})
