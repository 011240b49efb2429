import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { createDeveloper } from '#test/developer.ts'
import { signIn } from '#test/user-api.ts'
import { routesOf } from '#test/routes.ts'
import type { TestService } from '#test/service.ts'
import { shareService } from '#test/shared-service.ts'

describe('a body with thousands of invalid fields', () => {
  let service: TestService
  before(async () => {
    service = await shareService()
  })
  after(() => service.close())

  it('is rejected by every operation with at most 100 field errors', async () => {
    const developer = await createDeveloper(service)
    const { client_id: app } = await developer.create()
    const tokens = [(await signIn(service)).token, developer.token]
    const body = JSON.stringify(
      Object.fromEntries(Array.from({ length: 3_000 }, (_, n) => [`f${n}`, n])),
    )
    const paths = routesOf(service).filter(
      ({ method, url }) => ['POST', 'PUT', 'PATCH'].includes(method) && url.startsWith('/api/v3/'),
    )
    const limited: string[] = []
    for (const { method, url } of paths)
      for (const token of tokens) {
        const response = await fetch(
          service.url + url.replace(':client_id', app).replaceAll(/:\w+(?:\([^)]*\))?/g, '1'),
          {
            method,
            body,
            headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
          },
        )
        const text = await response.text()
        if (response.status !== 422) continue
        // as: the error envelope of §2.1
        const { error } = JSON.parse(text) as { error: { field_errors: object[] } }
        assert.ok(
          error.field_errors.length <= 100,
          `${method} ${url}: ${error.field_errors.length}`,
        )
        if (error.field_errors.length === 100) limited.push(`${method} ${url}`)
      }
    assert.ok(limited.length >= 10, limited.join('\n'))
  })
})
