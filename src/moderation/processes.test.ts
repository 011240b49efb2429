import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { createUser, signedInAs } from '#test/authorization.ts'
import { createDatabase, type TestDatabase } from '#test/databases.ts'
import { asAnotherProcess } from '#test/refuse-second-connections.ts'
import { spawnAnother, type ServiceProcess } from '#test/service-process.ts'
import { assertExactCounts, waitForTotals } from '#test/ratings.ts'
import { sendApiRequest, signIn, type SignedInUser } from '#test/user-api.ts'
import { startService, type TestService } from '#test/service.ts'
import { ownStatementsOf } from '#test/statements.ts'
import { first, sampleWorks } from '#test/sample-works.ts'
import { waitForBlocked } from '#test/blocked-connections.ts'
import { banAccount } from '../accounts/ban-queries.ts'
import { queryText } from '../db/query.ts'
import { saveRating } from '../ratings/own/queries.ts'
import { hideSubject, restoreSubject } from './hide-queries.ts'
import { createReport } from './report-queries.ts'
import { findSubject, isHideable, type SubjectReference } from './subject-queries.ts'
import { listOwnTakedowns } from './takedown-queries.ts'

describe('two processes on one database', () => {
  let database: TestDatabase
  let service: TestService
  let other: ServiceProcess
  let game: number
  before(async () => {
    database = await createDatabase('server', 'sample')
    service = await startService({ database, environment: { USER_REQUESTS_PER_MINUTE: '1000000' } })
    other = await spawnAnother(database, service, { USER_REQUESTS_PER_MINUTE: '1000000' })
    game = first((await sampleWorks(service.db)).galgame)
  })
  after(async () => {
    await other?.stop()
    await service.close()
    await database.remove()
  })

  async function review(): Promise<number> {
    const { id: accountId } = await createUser(service)
    const key = { accountId, kind: 'galgame', workId: game } as const
    const { id } = JSON.parse(await saveRating(service.db, key, null, { rate_content: 'Nasty.' }))
    assert.ok(id)
    return id
  }
  const urls = () => [service.url, other.url]
  const report = ({ token }: SignedInUser, url: string, id: number) =>
    sendApiRequest(url, {
      token,
      method: 'POST',
      path: '/v3/user/me/reports',
      body: { kind: 'REVIEW', id, reason: 'SPAM' },
    })

  it('together accept five reports an hour from a user, and only one about the same content', async () => {
    const user = await signIn(service)
    const reviews = await Promise.all(Array.from({ length: 10 }, review))
    const responses = await Promise.all(
      reviews.map(async (id, index) => (await report(user, urls()[index % 2] ?? '', id)).status),
    )
    assert.deepEqual(responses.toSorted(), [
      ...Array<number>(5).fill(201),
      ...Array<number>(5).fill(429),
    ])

    const secondUser = await signIn(service)
    const same = await Promise.all(
      Array.from({ length: 6 }, (_, index) =>
        report(secondUser, urls()[index % 2] ?? '', reviews[0] ?? 0),
      ),
    )
    assert.deepEqual(same.map(({ status }) => status).toSorted(), [200, 200, 200, 200, 200, 201])
  })

  it('do not block each other while each creates a report with one statement', async () => {
    const { user } = await signIn(service)
    const named = { kind: 'REVIEW', id: await review() } as const
    const sent = await ownStatementsOf(() =>
      createReport(service.db, user.id, { named, reason: 'SPAM', note: '' }),
    )
    const holding = sent.filter(({ sql }) =>
      /for (no key )?update|^begin|keep_report/i.test(sql.trim()),
    )
    assert.deepEqual(
      holding.map(({ sql }) => /keep_report/.test(sql)),
      [true],
    )
  })

  it('hide content only once and restore it only once when two moderators act concurrently', async () => {
    const id = await review()
    const reporter = await signIn(service)
    const { data } = await report(reporter, service.url, id)
    const moderators = await Promise.all(
      urls().map(async (url) => {
        const { browser } = await signedInAs(service, 'MODERATOR')
        return { url, browser }
      }),
    )
    /** Submits the form of both moderators concurrently, each to a different process. */
    const both = async (path: string, operation: string) => {
      const forms = await Promise.all(
        moderators.map(async ({ url, browser }) => {
          const { forms: all } = await browser.get(path)
          const form = all.find(({ action }) => action.endsWith(`/${operation}`))
          assert.ok(form, operation)
          return () =>
            browser.post(url + form.action, { ...form.fields, reason: 'SPAM', note: 'At once.' })
        }),
      )
      return Promise.all(forms.map((send) => send()))
    }
    const events = async (kind: string) =>
      (
        await queryText(
          service.db,
          `select id from audit_events where kind = $1 and details ->> 'subject' = $2`,
          [kind, String(id)],
        )
      ).length
    const hidden = await both(`/desk/reports/${data.id}`, 'hide')
    assert.ok(
      hidden.every(({ status }) => status < 400),
      hidden.map(({ status }) => status).join(),
    )
    assert.equal(await events('content_hidden'), 1)
    const [takedown] = await queryText<{ id: number }>(
      service.db,
      `select id from takedowns where kind = 'REVIEW' and subject = $1`,
      [String(id)],
    )
    const restored = await both(`/desk/hidden/${takedown?.id}`, 'restore')
    assert.ok(
      restored.every(({ status }) => status < 400),
      restored.map(({ status }) => status).join(),
    )
    assert.equal(await events('content_restored'), 1)
  })

  const WHY = { reason: 'SPAM', note: 'Why.' } as const
  async function hide(named: SubjectReference) {
    const subject = await findSubject(service.db, named)
    assert.ok(subject && isHideable(subject))
    return hideSubject(service.db, subject, WHY, {})
  }

  it('change nothing if the last step of hiding or restoring a review fails', async () => {
    const id = await review()
    const state = async () => [
      await queryText(service.db, 'select hidden from ratings where id = $1', [id]),
      await queryText(
        service.db,
        `select restored_at is null as active from takedowns where kind = 'REVIEW' and subject = $1`,
        [String(id)],
      ),
      await queryText(
        service.db,
        `select kind from audit_events where details ->> 'subject' = $1 order by id`,
        [String(id)],
      ),
    ]
    const withoutMails = async (work: () => Promise<unknown>) => {
      await queryText(
        service.db,
        'alter table mails add constraint closed check (false) not valid',
        [],
      )
      try {
        await assert.rejects(work(), /closed/)
      } finally {
        await queryText(service.db, 'alter table mails drop constraint closed', [])
      }
    }
    const visible = await state()
    await withoutMails(() => hide({ kind: 'REVIEW', id }))
    assert.deepEqual(await state(), visible)
    const { takedown } = await hide({ kind: 'REVIEW', id })
    assert.ok(takedown)
    const hidden = await state()
    assert.deepEqual(hidden.slice(0, 2), [[{ hidden: true }], [{ active: true }]])
    await withoutMails(() => restoreSubject(service.db, takedown, 'Fine.', {}))
    assert.deepEqual(await state(), hidden)
    assert.equal(await restoreSubject(service.db, takedown, 'Fine.', {}), 'restored')
  })

  /** Leaves a write by the owner open in a transaction. The moderators' statements wait for it. */
  async function whileOwner<Result>(
    change: [text: string, values: unknown[]],
    work: () => Promise<Result>,
  ): Promise<Result> {
    let working: Promise<Result> | undefined
    await service.db.transaction().execute(async (trx) => {
      await queryText(trx, ...change)
      working = asAnotherProcess(work)
      await waitForBlocked(trx, 1)
    })
    assert.ok(working)
    return working
  }

  it('do not hide a picture that its owner has just replaced, or overwrite a newer picture by restoring one', async () => {
    const { id } = await createUser(service)
    const setPicture = 'update accounts set picture = $2 where id = $1'
    const pictureOf = async () =>
      (
        await queryText<{ picture: string | null }>(
          service.db,
          'select picture from accounts where id = $1',
          [id],
        )
      )[0]?.picture
    const hidePicture = async () => {
      const subject = await findSubject(service.db, { kind: 'PICTURE', type: 'profile', id })
      assert.ok(subject)
      return () => hideSubject(service.db, subject, WHY, {})
    }
    await queryText(service.db, setPicture, [id, 'https://a.example/old.png'])
    const hideOld = await hidePicture()
    const outdated = await whileOwner([setPicture, [id, 'https://a.example/new.png']], hideOld)
    assert.equal(outdated.takedown, undefined)
    assert.equal(await pictureOf(), 'https://a.example/new.png')
    const hideNew = await hidePicture()
    const { takedown } = await hideNew()
    assert.equal(takedown?.previous, 'https://a.example/new.png')
    assert.equal(await pictureOf(), null)
    await whileOwner([setPicture, [id, 'https://a.example/newest.png']], () =>
      restoreSubject(service.db, takedown, 'Fine.', {}),
    )
    assert.equal(await pictureOf(), 'https://a.example/newest.png')
  })

  it('show no content of an account that is banned during a restore', async () => {
    const id = await review()
    const { takedown } = await hide({ kind: 'REVIEW', id })
    assert.ok(takedown?.owner_id)
    const ban = `
      with banned as (update accounts set banned_at = now() where id = $1 returning id)
      update account_refs reference set hidden = true from banned where reference.id = banned.id`
    const outcome = await whileOwner([ban, [takedown.owner_id]], () =>
      restoreSubject(service.db, takedown, 'Fine.', {}),
    )
    assert.equal(outcome, 'restored')
    const hidden = 'select hidden from ratings where id = $1'
    assert.deepEqual(await queryText(service.db, hidden, [id]), [{ hidden: true }])
  })

  it('keep the totals correct while they concurrently hide, restore and write', async () => {
    const { id: accountId } = await createUser(service)
    const owner = await signIn(service)
    const path = `/v3/user/me/rates/galgames/${game}`
    const write = (url: string, round: number) =>
      sendApiRequest(url, {
        token: owner.token,
        method: 'PUT',
        path,
        body: { rate: (round % 10) + 1, rate_content: `${round}` },
      })
    await write(service.url, 0)
    const [row] = await queryText<{ id: number }>(
      service.db,
      'select id from ratings where account_id = $1',
      [owner.user.id],
    )
    assert.ok(row)
    const subject = await findSubject(service.db, { kind: 'REVIEW', id: row.id })
    assert.ok(subject)
    const turn = async (round: number) => {
      const now = (await listOwnTakedowns(service.db, owner.user.id)).find(
        (item) => !item.restored_at,
      )
      if (now && round % 2 === 1)
        await restoreSubject(service.db, now, 'Fine.', { actorId: accountId })
      else await hideSubject(service.db, subject, WHY, { actorId: accountId })
    }
    for (let round = 1; round <= 25; round += 1)
      await Promise.all([
        write(service.url, round),
        write(other.url, round + 3),
        turn(round),
        turn(round + 1),
      ])
    const last = (await listOwnTakedowns(service.db, owner.user.id)).find(
      (item) => !item.restored_at,
    )
    if (last) await restoreSubject(service.db, last, 'Fine.', {})
    for (const next of [() => banAccount(service.db, owner.user.id, 'x'), undefined]) {
      await waitForTotals(service.db)
      await assertExactCounts(service.db)
      await next?.()
    }
  })
})
