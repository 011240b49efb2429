import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { Page } from 'playwright-core'
import { createUser, type TestUser } from '#test/authorization.ts'
import { findFaultsOfBothThemes, findFaultsOfLanguage } from '#test/axe.ts'
import { chromiumMissing } from '#test/chromium.ts'
import { shareChromium, type TestBrowser } from '#test/shared-chromium.ts'
import { startService, type TestService } from '#test/service.ts'
import { fillSignIn } from '#test/sign-in-pages.ts'
import { sampleWorks } from '#test/sample-works.ts'
import { banAccount } from '../src/accounts/ban-queries.ts'
import { queryText } from '../src/db/query.ts'
import { setField } from '../src/curation/edit/edit-field.ts'
import { rejectMatch } from '../src/curation/join/review.ts'
import { createReport } from '../src/moderation/report-queries.ts'
import { saveRating } from '../src/ratings/own/queries.ts'
import { mergeEntries, unmergeEntries } from '../src/curation/merge/merge-entries.ts'

const LONG = 'とても長い題名のある作品で、どこにも切れ目がないもの'.repeat(3)

/** Creates pairs of person records of which one has no entry. */
const ADD_MATCHES = `
  insert into matches (kind, source, external_id, other_source, other_external_id, rule, evidence)
  select
    'person', one.source, one.external_id, 'bangumi', 'none-' || one.external_id, 'same-name',
    jsonb_build_object('shared_names', $1::text, 'works_in_common', 3, 'note', repeat('unbroken', 40))
  from source_records one
  where one.kind = 'person'
  order by one.entry_id
  limit 60
  returning id`

const ADD_RUNS = `
  insert into import_runs (source, dump_name, dump_date, sha256, began_at, ended_at, outcome, kinds, remarks, error)
  values
    ('vndb', repeat('vndb-db-2026-11-01', 8) || '.tar.zst', '2026-11-01', repeat('a', 64), now() - interval '1 hour', now(), 'done',
      '[{"kind": "galgame", "created": 12345678, "changed": 42, "unchanged": 1, "withdrawn": 0, "returned": 3},
        {"kind": "light_novel_volume", "created": 1, "changed": 2, "unchanged": 3, "withdrawn": 4, "returned": 5}]',
      jsonb_build_array(
        jsonb_build_object('remark', 'readers have records of both: left for review', 'count', 1234567, 'example', repeat('v1', 300)),
        jsonb_build_object('remark', 'no such language', 'count', 1, 'example', $1::text)),
      null),
    ('bangumi', 'archive.zip', null, null, now(), now(), 'failed', '[]', '[]', 'The dump lacks the table ' || repeat('subject', 60) || '.'),
    ('ranobedb', null, null, null, now(), now(), 'refused', '[]', '[]', 'It would withdraw more than it may.'),
    ('ranobedb', null, null, null, now(), null, null, '[]', '[]', null)
  returning id`

describe('moderation lists with rows', { skip: chromiumMissing() }, () => {
  let service: TestService
  let browser: TestBrowser
  let admin: TestUser
  let states: [name: string, path: string, open?: string][]
  before(async () => {
    service = await startService({ environment: { IMAGES: 'off' } })
    const { db } = service
    admin = await createUser(service, '管理者 Administrator', 'ADMIN')
    const { galgame, light_novel: novels } = await sampleWorks(db)
    const [, one = 0, two = 0, three = 0] = galgame
    const matches = await queryText<{ id: number }>(db, ADD_MATCHES, [LONG])
    for (const { id } of matches.slice(0, 3)) await rejectMatch(db, id)
    await mergeEntries(db, { kind: 'galgame', from: one, into: two })
    await mergeEntries(db, { kind: 'galgame', from: three, into: two })
    await unmergeEntries(db, { kind: 'galgame', from: three, into: two })
    await mergeEntries(db, { kind: 'light_novel', from: novels[1] ?? 0, into: novels[0] ?? 0 })
    await setField(db, { kind: 'galgame', id: two, field: 'trans_title' }, LONG)
    await queryText(db, `update matches set state = 'accepted' where id = any($1::bigint[])`, [
      matches.slice(3, 6).map(({ id }) => id),
    ])
    const [done, failed] = await queryText<{ id: number }>(db, ADD_RUNS, [LONG])
    const banned = await createUser(service, LONG.slice(0, 60))
    await banAccount(db, banned.id, LONG)
    const reporter = await createUser(service)
    const key = { accountId: reporter.id, kind: 'galgame', workId: two } as const
    const { id: review } = JSON.parse(
      await saveRating(db, key, null, { rate_content: `${LONG}\n`.repeat(60) }),
    )
    const named = { kind: 'REVIEW', id: Number(review) } as const
    const created = await createReport(db, admin.id, { named, reason: 'OTHER', note: LONG })
    assert.ok('report' in created)
    states = [
      ['reports', '/desk'],
      ['a report of a long review', `/desk/reports/${created.report.id}`],
      ['open matches', '/desk/matches'],
      ['open matches, the last page', '/desk/matches?page=2'],
      ['rejected matches', '/desk/matches?state=rejected'],
      ['accepted matches', '/desk/matches?state=accepted'],
      ['merges', '/desk/merges', 'details.act-step'],
      [
        'entries to merge',
        `/desk/merges?kind=galgame&from=${galgame[0]}&into=${two}`,
        'details.act-step',
      ],
      ['imports', '/desk/imports'],
      ['an import', `/desk/imports/${done?.id}`],
      ['an import that failed', `/desk/imports/${failed?.id}`],
      [
        'an entry with a field set by hand',
        `/desk/entries?kind=galgame&id=${two}`,
        'details.act-step',
      ],
      ['a banned account', `/desk/accounts/${banned.id}`],
    ]
    browser = await shareChromium()
  })
  after(async () => {
    await browser?.close()
    await service?.close()
  })

  async function windowOf(locale: string): Promise<Page> {
    const context = await browser.newContext({ locale })
    const page = await context.newPage()
    await page.goto(`${service.url}/sign-in`)
    await fillSignIn(page, admin)
    await page.waitForURL(/\/account/)
    return page
  }

  for (const [locale, findFaults] of [
    ['en-GB', findFaultsOfBothThemes],
    ['ja', findFaultsOfLanguage],
    ['zh-CN', findFaultsOfLanguage],
  ] as const)
    it(
      `are readable and usable in ${locale}, on a desktop and on a phone`,
      { timeout: 240_000 },
      async () => {
        const page = await windowOf(locale)
        const faults: string[] = []
        for (const [name, path, open] of states) {
          await page.goto(service.url + path)
          assert.ok(
            (await page.locator('main :is(tbody tr, .rows > li)').count()) > 0 ||
              /failed/.test(name),
            name,
          )
          if (open !== undefined) await page.locator(open).first().locator('summary').click()
          for (const fault of await findFaults(page)) faults.push(`${name}: ${fault}`)
        }
        assert.deepEqual(faults, [])
      },
    )
})
