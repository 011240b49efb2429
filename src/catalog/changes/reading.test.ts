import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { sql } from 'kysely'
import {
  FeedFollower,
  followFeed,
  formatChange,
  numberAllChanges,
  readChanges,
  type FollowedFeed,
} from '#test/change-feed.ts'
import { describeOnDatabase } from '#test/databases.ts'
import { responseValidator } from '#test/openapi.ts'
import { startService, type TestService } from '#test/service.ts'

const PATH = '/api/v3/open/catalog/changes'

describeOnDatabase('the change feed', (engine) => {
  let service: TestService
  let feed: FollowedFeed
  before(async () => {
    service = await startService({ engine })
    feed = await followFeed(service)
  })
  after(() => service.close())
  const problems = responseValidator()

  describe('from the beginning', () => {
    it('contains every entry after the entries it refers to, but nsfw works only with catalog:full', async () => {
      const { rows } = await sql<{ resource_type: string; resource_id: number; nsfw: boolean }>`
        select * from catalog_entries`.execute(service.db)
      assert.ok(rows.length > 900)
      for (const [token, shown] of [
        [feed.tokens.full, rows],
        [feed.tokens.limited, rows.filter(({ nsfw }) => !nsfw)],
      ] as const) {
        const items = await new FeedFollower(token).read(service.url)
        const upserts = shown.map(
          ({ resource_type, resource_id }) => `UPSERT ${resource_type} ${resource_id}`,
        )
        assert.deepEqual([...new Set(items.map(formatChange))].toSorted(), upserts.toSorted())
      }
    })

    it('returns pages of the requested size, 100 by default', async () => {
      const whole = await new FeedFollower(feed.tokens.full).read(service.url, 500)
      assert.deepEqual(await new FeedFollower(feed.tokens.full).read(service.url, 173), whole)
      const { items, has_more, latest_id } = await readChanges(service.url, feed.tokens.full)
      assert.deepEqual(items, whole.slice(0, 100))
      assert.equal(has_more, true)
      assert.equal(latest_id, whole.at(-1)?.id)
    })

    it('sets has_more only if more changes follow', async () => {
      const whole = await new FeedFollower(feed.tokens.full).read(service.url)
      const [third, second, last] = whole.slice(-3)
      const since = third?.id ?? 0
      for (const [limit, more] of [
        [1, true],
        [2, false],
        [3, false],
      ] as const) {
        const part = await readChanges(
          service.url,
          feed.tokens.full,
          `?since=${since}&limit=${limit}`,
        )
        const { epoch, ...page } = part
        assert.match(epoch, /^[\da-f-]{36}$/)
        assert.deepEqual(page, {
          items: [second, last].slice(0, limit),
          latest_id: last?.id,
          has_more: more,
        })
      }
    })

    it('stays ordered by id if the clock was set back between two changes', async () => {
      const [first, second, third] = (
        await new FeedFollower(feed.tokens.full).read(service.url)
      ).slice(-3)
      assert.ok(first && second && third)
      const setBack = (hours: number) =>
        sql`
          update catalog_changes set created_at = created_at - make_interval(hours => ${hours})
          where id in (${second.id}, ${third.id})`.execute(service.db)
      await setBack(1)
      const { items } = await readChanges(
        service.url,
        feed.tokens.full,
        `?since=${first.id - 1}&limit=1`,
      )
      assert.deepEqual(
        items.map(({ id }) => id),
        [first.id],
      )
      await setBack(-1)
    })

    it('is empty after the latest id', async () => {
      const { latest_id, epoch } = await readChanges(service.url, feed.tokens.full)
      for (const since of [latest_id, latest_id + 1_000, Number.MAX_SAFE_INTEGER])
        assert.deepEqual(await readChanges(service.url, feed.tokens.full, `?since=${since}`), {
          items: [],
          latest_id,
          has_more: false,
          epoch,
        })
    })

    it('returns 409 for an ended epoch, or for an unknown id with an epoch', async () => {
      const { latest_id, epoch } = await readChanges(service.url, feed.tokens.full)
      const statusOf = async (query: string) =>
        (await service.get(`${PATH}?${query}`, feed.tokens.full)).status
      assert.equal(await statusOf(`since=${latest_id}&epoch=${epoch}`), 200)
      assert.equal(await statusOf(`since=1&epoch=${epoch}`), 200)
      assert.equal(await statusOf(`since=${latest_id + 1}&epoch=${epoch}`), 409)
      assert.equal(await statusOf(`since=${latest_id}&epoch=another`), 409)
      assert.equal(await statusOf('since=0&epoch=another'), 200)
    })

    it('skips millions of ids in a new epoch, so that the ids of lost changes are not reused', async () => {
      // The test database is a copy, so this change begins an epoch there, which skips ids too.
      await sql`update people set name = name || '!' where id = 1`.execute(service.db)
      await numberAllChanges(service.db)
      const { latest_id: last, epoch } = await readChanges(service.url, feed.tokens.full)
      await sql`update feed_state set origin = 'another server'`.execute(service.db)
      await sql`update people set name = name || '!' where id = 1`.execute(service.db)
      await numberAllChanges(service.db)
      const next = await readChanges(service.url, feed.tokens.full, `?since=${last}`)
      const skipped = (next.items[0]?.id ?? 0) - last
      assert.ok(skipped > 10_000_000 && skipped <= 20_000_001, `${skipped}`)
      assert.notEqual(next.epoch, epoch)
      await sql`update people set name = name || '!' where id = 1`.execute(service.db)
      await numberAllChanges(service.db)
      const later = await readChanges(service.url, feed.tokens.full, `?since=${next.latest_id}`)
      assert.deepEqual([later.items[0]?.id, later.epoch], [next.latest_id + 1, next.epoch])
    })
  })

  describe('request', () => {
    it('requires a token with catalog:sync, which catalog:full does not imply', async () => {
      for (const scope of ['catalog:read', 'catalog:full']) {
        const response = await service.get(PATH, await service.token(scope))
        const body = (await response.json()) as { error: { code: string; message: string } }
        assert.equal(response.status, 403)
        assert.equal(body.error.code, 'AUTH_FORBIDDEN')
        assert.match(body.error.message, /catalog:sync/)
        assert.equal(problems(PATH, 403, body), '')
      }
      assert.equal((await service.get(PATH)).status, 401)
    })

    it('is rejected with an error that names every field that is out of range', async () => {
      for (const query of [
        'since=-1',
        'since=1.5',
        'since=abc',
        'since=%00',
        'since=9007199254740992',
        'since=1&since=2',
        'limit=0',
        'limit=501',
        'limit=-1',
        'limit=x',
        'limit=1e400',
      ]) {
        const response = await service.get(`${PATH}?${query}`, feed.tokens.full)
        const body = (await response.json()) as {
          error: { code: string; field_errors: { field: string }[] }
        }
        assert.equal(response.status, 422, query)
        assert.equal(body.error.code, 'COMMON_VALIDATION_FAILED')
        assert.equal(problems(PATH, 422, body), '')
        assert.deepEqual(
          body.error.field_errors.map(({ field }) => field),
          [query.split('=')[0]],
        )
      }
      const response = await service.get(`${PATH}?since=-1&limit=0&color=red`, feed.tokens.full)
      const { error } = (await response.json()) as { error: { field_errors: { field: string }[] } }
      assert.deepEqual(error.field_errors.map(({ field }) => field).toSorted(), ['limit', 'since'])
    })

    it('behaves the same under both path prefixes, is not cached and counts toward the rate limit', async () => {
      const [open, short] = [
        await service.get(`${PATH}?limit=2`, feed.tokens.full),
        await service.get('/v3/catalog/changes?limit=2', feed.tokens.full),
      ]
      const dataOf = async (response: Response) =>
        ((await response.json()) as { data: unknown }).data
      assert.deepEqual(await dataOf(short), await dataOf(open))
      assert.equal(open.headers.get('cache-control'), 'no-store')
      assert.equal(open.headers.get('etag'), null)
      const [before, now] = [open, short].map(({ headers }) =>
        Number(headers.get('x-ratelimit-remaining')),
      )
      assert.equal(now, (before ?? 0) - 1)
    })
  })
})
