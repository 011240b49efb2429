import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { createDatabase, DEFAULT_ENGINE, type TestDatabase } from '#test/databases.ts'
import { startService, type TestService } from '#test/service.ts'

type Operations = Record<
  string,
  { operationId: string; security?: Record<string, string[]>[]; description?: string }
>

/** Parameters that some operations require. The others ignore them. */
const QUERY = 'q=a&source=vndb&id=v4'

for (const state of ['off', 'on'] as const)
  describe(`the API with anonymous reads of the catalog ${state}`, () => {
    let service: TestService
    let database: TestDatabase
    let token: string
    let operations: { method: string; path: string; operation: Operations[string] }[]
    before(async () => {
      database = await createDatabase(DEFAULT_ENGINE, 'sample')
      const environment = state === 'on' ? { ANONYMOUS_CATALOG: 'on' } : {}
      service = await startService({ database, environment })
      token = await service.token('catalog:read')
      // as: the document of this service
      const { paths } = (await (await service.get('/openapi.json')).json()) as {
        paths: Record<string, Operations>
      }
      operations = Object.entries(paths).flatMap(([path, methods]) =>
        Object.entries(methods).flatMap(([method, operation]) =>
          operation.operationId === undefined ? [] : [{ method, path, operation }],
        ),
      )
    })
    after(async () => {
      await service.close()
      await database.remove()
    })

    const urlOf = (path: string, id: number | string = 1) =>
      `${path.replaceAll(/\{\w+\}/g, String(id))}?${QUERY}`
    const send = async (method: string, path: string, bearer?: string) => {
      const headers = bearer === undefined ? {} : { authorization: `Bearer ${bearer}` }
      const response = await fetch(service.url + path, {
        method: method.toUpperCase(),
        headers,
        redirect: 'manual',
      })
      const text = await response.text()
      return `${response.status} ${text.replace(/"request_id":"[^"]*","timestamp":"[^"]*"/, '')}`
    }
    const schemesOf = ({ security = [] }: Operations[string]) => security.flatMap(Object.keys)

    it('answers catalog requests without a token as if they had catalog:read, or with 401', async () => {
      const catalog = operations.filter(({ operation }) =>
        schemesOf(operation).includes('application'),
      )
      assert.ok(catalog.length > 30, String(catalog.length))
      for (const { method, path, operation } of catalog) {
        const scopes = operation.security?.flatMap((scheme) => Object.values(scheme).flat()) ?? []
        const isOpen = state === 'on' && scopes.every((scope) => scope === 'catalog:read')
        assert.equal(
          operation.security?.some((scheme) => Object.keys(scheme).length === 0),
          isOpen,
          path,
        )
        for (const family of ['/api/v3/open', '/v3']) {
          const url = urlOf(path).replace('/api/v3/open', family)
          const anonymous = await send(method, url)
          if (isOpen) assert.equal(anonymous, await send(method, url, token), url)
          else assert.match(anonymous, /^401 .*AUTH_UNAUTHENTICATED/, url)
        }
      }
    })

    it('never answers an operation of users or developers without a token', async () => {
      const personal = operations.filter(({ operation }) => {
        const schemes = schemesOf(operation)
        return schemes.length > 0 && !schemes.includes('application')
      })
      assert.ok(personal.length > 20, String(personal.length))
      for (const { method, path } of personal)
        assert.match(await send(method, urlOf(path)), /^401 .*AUTH_UNAUTHENTICATED/, path)
    })

    it('refuses an invalid token, and hides adult works', async () => {
      assert.match(await send('GET', '/v3/galgames/1', 'x'), /^401 .*AUTH_TOKEN_INVALID/)
      const adult = await service.db
        .selectFrom('works')
        .select('id')
        .where('nsfw', '=', true)
        .where('kind', '=', 'galgame')
        .executeTakeFirstOrThrow()
      const full = await service.token('catalog:full')
      const hidden = state === 'on' ? /^404 / : /^401 /
      for (const rest of ['', '/staff', '?include=staff', '?fields=id']) {
        const path = `/v3/galgames/${adult.id}${rest}`
        // The response is cached for the caller who may see it.
        assert.match(await send('GET', path, full), /^200 /, path)
        assert.match(await send('GET', path), hidden, path)
      }
      const batch = await send('GET', `/v3/galgames?ids=${adult.id},1&include=relations`)
      assert.match(batch, state === 'on' ? new RegExp(`"missing":\\[${adult.id}\\]`) : /^401 /)
    })
  })
