import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { describeOnDatabase } from '#test/databases.ts'
import { createDeveloper } from '#test/developer.ts'
import { startService, type TestService } from '#test/service.ts'
import type { DeveloperApp } from './schemas.ts'
import { memoryThrottle } from '../http/admission/throttle.ts'

describeOnDatabase('a developer', (engine) => {
  let service: TestService
  before(async () => {
    // Freezes the clock, so that all sixty requests fall into one minute.
    const throttle = memoryThrottle(undefined, () => 0)
    // The default limit.
    service = await startService({
      engine,
      content: 'empty',
      throttle,
      environment: { DEVELOPER_REQUESTS_PER_MINUTE: '' },
    })
  })
  after(() => service.close())

  it('can create at most 20 apps, even with 25 concurrent requests', async () => {
    const developer = await createDeveloper(service)
    const responses = await Promise.all(
      Array.from({ length: 25 }, (_, index) =>
        developer.send('POST', '', { client_name: `App ${index}` }),
      ),
    )
    const refused = responses.filter(({ status }) => status !== 201)
    assert.deepEqual(
      refused.map(({ status, code, details }) => ({ status, code, details })),
      Array.from({ length: 5 }, () => ({
        status: 422,
        code: 'DEVELOPER_APP_LIMIT_EXCEEDED',
        details: { limit: 20 },
      })),
    )
    const { data } = await developer.send<DeveloperApp[]>('GET')
    assert.equal(data.length, 20)
    await developer.send('DELETE', `/${data[0]?.client_id}`)
    assert.equal(
      (await developer.send('POST', '', { client_name: 'x' })).status,
      201,
      'there is room again',
    )
  })

  it('may send 60 requests per minute, regardless of other developers', async () => {
    const developer = await createDeveloper(service)
    const neighbor = await createDeveloper(service)
    for (let remaining = 59; remaining >= 0; remaining -= 1) {
      const { status, headers } = await developer.send('GET')
      assert.deepEqual([status, headers.get('x-ratelimit-limit')], [200, '60'])
      assert.equal(headers.get('x-ratelimit-remaining'), String(remaining))
    }
    const { status, code, headers } = await developer.send('POST', '', { client_name: 'x' })
    assert.deepEqual([status, code], [429, 'COMMON_RATE_LIMITED'])
    assert.match(headers.get('retry-after') ?? '', /^[1-9]\d*$/)
    assert.equal((await neighbor.send('GET')).status, 200)
  })
})
