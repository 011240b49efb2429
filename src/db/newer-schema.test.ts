import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { copyMigrations } from '#test/copy-migrations.ts'
import { createDeveloper, type Developer } from '#test/developer.ts'
import { signIn, type SignedInUser } from '#test/user-api.ts'
import { NEXT_MIGRATION } from '#test/next-migration.ts'
import { startService, type TestService } from '#test/service.ts'
import { migrate } from './upkeep/migrate.ts'

describe('a running service whose database is migrated by a newer version', () => {
  let service: TestService
  let user: SignedInUser
  let developer: Developer
  const migrations = copyMigrations()
  before(async () => {
    service = await startService({ engine: 'server' })
    user = await signIn(service)
    developer = await createDeveloper(service)
    migrations.add('9001_next', NEXT_MIGRATION)
  })
  after(async () => {
    migrations.remove()
    await service.close()
  })

  /** Runs many reads and writes at once, so that every connection of the pool prepares their statements. */
  const use = async (round: string) => {
    const statuses = await Promise.all(
      Array.from({ length: 8 }, async (_, n) => {
        const path = `/v3/user/me/rates/galgames/${1 + (n % 3)}`
        const responses = [
          await user.send('PUT', path, { rate: 1 + (n % 9), rate_content: `${round} ${n}` }),
          await user.send('GET', path),
          await user.send('GET', '/v3/user/me/rates?page_size=5'),
          await user.send('POST', '/v3/user/me/collections', { name: `${round} ${n}` }),
          await user.send('GET', '/v3/user/me/collections'),
          await user.send('GET', '/v3/user/me'),
          await developer.send('POST', '', { client_name: `${round} ${n}` }),
          await developer.send('GET'),
        ]
        const token = await service.token(`catalog:full`)
        const pages = [
          'galgames/1',
          'galgames?page_size=3',
          'search?q=a',
          'galgames/1/rates',
          'people/1/works',
        ]
        for (const page of pages)
          responses.push((await service.get(`/api/v3/open/${page}`, token)) as never)
        return responses.map(({ status }) => status)
      }),
    )
    return new Set(statuses.map((item) => item.join(' ')))
  }

  it('responds to all requests as it did before the migration', async () => {
    const expected = await use('before')
    assert.deepEqual(expected, new Set(['200 200 200 200 200 200 201 200 200 200 200 200 200']))
    assert.deepEqual(await migrate(service.db, migrations.url), ['9001_next'])
    assert.deepEqual(await use('after'), expected)
  })
})
