import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, before, describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { createConfig, lintFromString } from '@redocly/openapi-core'
import Fastify from 'fastify'
import { describeApi } from '../src/describe-api.ts'
import { guardRoutes } from '../src/http/admission/access.ts'
import { getBytes } from '#test/get-bytes.ts'
import { describeOnDatabase } from '#test/databases.ts'
import { responseValidator, readDocument, responsesOf, type Document } from '#test/openapi.ts'
import { startService, type TestService } from '#test/service.ts'
import { shareService } from '#test/shared-service.ts'

const FILE = fileURLToPath(new URL('../openapi.json', import.meta.url))

const operations = ({ paths }: Document) =>
  Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({ path, method, operation })),
  )

/** A path of the document and its other spelling (decision 0002). */
const bothFamilies = (path: string) =>
  new Set([
    path,
    path.replace(/^\/api\/v3\/open\//, '/v3/'),
    path.replace(/^\/v3\/user\/me(?=\/|$)/, '/api/v3/open/user/me'),
  ])

describe('openapi.json', () => {
  const document = readDocument()

  it('matches the routes; `npm run openapi` updates it', async () => {
    assert.deepEqual(document, await describeApi())
  })

  it('passes Redocly’s recommended rules for OpenAPI 3.1, which also validate its structure and examples', async () => {
    assert.match(document.openapi, /^3\.1\./)
    assert.equal(document.info.version, '3.13.0')
    const source = readFileSync(FILE, 'utf8')
    const config = await createConfig({
      extends: ['recommended'],
      rules: {
        'no-invalid-media-type-examples': 'error',
        'no-invalid-parameter-examples': 'error',
      },
    })
    const problems = await lintFromString({ source, absoluteRef: FILE, config })
    assert.deepEqual(
      problems.map(({ ruleId, message, location }) => [ruleId, message, location[0]?.pointer]),
      [],
    )
  })

  it('states shared parts once, and is valid at any URL of the service', () => {
    for (const { path, method, operation } of operations(document))
      for (const [status, response] of Object.entries(operation.responses))
        assert.equal('$ref' in response, Number(status) >= 300, `${method} ${path} ${status}`)
    assert.doesNotMatch(readFileSync(FILE, 'utf8'), /localhost/)
  })

  it('has the sixteen endpoints of §4.1 and the three of decision 0002', () => {
    const lists = {
      galgames: ['', '/staff', '/characters', '/producers', '/developers', '/relations'],
      'light-novels': ['', '/volumes', '/people', '/producers', '/characters'],
      mangas: ['', '/volumes', '/people', '/producers', '/characters'],
      people: [''],
      producers: [''],
      characters: [''],
    }
    const expected = Object.entries(lists).flatMap(([kind, parts]) =>
      parts.map((part) => `/api/v3/open/${kind}/{id}${part}`),
    )
    assert.equal(expected.length, 19)
    for (const path of expected) assert.ok(document.paths[path]?.['get'], path)
  })

  it('gives every operation a summary, a description, a unique id and its security', () => {
    const all = operations(document)
    for (const { path, method, operation } of all) {
      assert.ok(operation.summary, `${method} ${path} has no summary`)
      assert.ok(operation.description, `${method} ${path} has no description`)
      assert.ok(operation.operationId, `${method} ${path} has no operationId`)
      assert.ok(Array.isArray(operation.security), `${method} ${path} has no access rule`)
    }
    assert.equal(new Set(all.map(({ operation }) => operation.operationId)).size, all.length)
  })

  it('lists every error of every guarded operation, with an example', () => {
    for (const { path, method, operation } of operations(document)) {
      if (operation.security?.length === 0) continue
      const ofPath = path.includes('{') ? ['400', '404'] : []
      const ofBody = ['post', 'patch', 'put', 'delete'].includes(method)
        ? ['400', '413', '415']
        : []
      for (const status of [...ofPath, ...ofBody, '401', '403', '405', '429', '500', '503']) {
        const examples = responsesOf(document, operation)[status]?.content?.['application/json']
          ?.examples
        assert.ok(examples && Object.keys(examples).length > 0, `${method} ${path} ${status}`)
      }
    }
  })

  it('closes no object of a response, so that fields can be added', () => {
    const seen = new Set<string>()
    const closed: string[] = []
    const visit = (value: unknown, where: string): void => {
      if (typeof value !== 'object' || value === null) return
      // as: a part of the document
      const { $ref, additionalProperties } = value as Record<string, unknown>
      if (additionalProperties === false) closed.push(where)
      if (typeof $ref === 'string' && !seen.has($ref)) {
        seen.add($ref)
        const [, , group, name] = $ref.split('/')
        // as: the parts of the components by group
        const components = document.components as unknown as Record<string, Record<string, unknown>>
        visit(components[group ?? '']?.[name ?? ''], $ref)
      }
      for (const [key, part] of Object.entries(value))
        if (key !== 'examples') visit(part, `${where}/${key}`)
    }
    for (const { path, method, operation } of operations(document))
      visit(operation.responses, `${method} ${path}`)
    assert.ok(seen.size > 50)
    assert.deepEqual(closed, [])
  })

  it('has examples that match their schemas', () => {
    const problems = responseValidator(document)
    let checked = 0
    for (const { path, method, operation } of operations(document))
      for (const [status, { content }] of Object.entries(responsesOf(document, operation)))
        for (const { value } of Object.values(content?.['application/json']?.examples ?? {})) {
          assert.equal(problems(path, Number(status), value, method), '')
          checked += 1
        }
    assert.ok(checked > 150, `only ${checked} examples`)
  })
})

describeOnDatabase('a route', (engine) => {
  it('prevents startup if it does not declare who may call it', async () => {
    const app = Fastify()
    guardRoutes(app, {
      anonymous: () => {},
      page: () => {},
      developer: () => {},
      user: () => {},
      mcp: () => {},
      catalog: (_request, _reply, done) => done(),
    })
    assert.throws(() => app.get('/forgotten', () => 'secret'), /has no access rule/)
  })

  it('rejects requests without a token if it requires one, on both families of paths', async () => {
    const service = await shareService(engine)
    try {
      for (const { path, method, operation } of operations(readDocument())) {
        if (operation.security?.length === 0) continue
        const body = ['post', 'patch', 'put'].includes(method) ? '{}' : null
        const headers = body === null ? {} : { 'content-type': 'application/json' }
        for (const target of bothFamilies(path))
          for (const name of method === 'get' ? ['GET', 'HEAD'] : [method.toUpperCase()]) {
            const url = service.url + target.replaceAll(/\{\w+\}/g, '1')
            const { status } = await fetch(url, { method: name, headers, body })
            assert.equal(status, 401, `${name} ${target}`)
          }
      }
    } finally {
      await service.close()
    }
  })
})

describeOnDatabase('the user API on its own host', (engine) => {
  it('is listed in the document with the URL of that host', async () => {
    const apiUrl = 'https://api.example.org'
    const service = await startService({
      engine,
      content: 'empty',
      environment: { API_URL: apiUrl },
    })
    try {
      const { paths } = (await (await service.get('/openapi.json')).json()) as Document
      for (const [path, item] of Object.entries(paths))
        assert.deepEqual(
          item['servers'],
          path.startsWith('/v3/user/me') ? [{ url: apiUrl }] : undefined,
          path,
        )
    } finally {
      await service.close()
    }
  })
})

describeOnDatabase('the running service', (engine) => {
  let service: TestService
  before(async () => {
    service = await shareService(engine)
  })
  after(() => service.close())

  it('serves the committed document to any origin, with its own URLs', async () => {
    const { url } = service
    const response = await service.get('/openapi.json')
    assert.equal(response.headers.get('access-control-allow-origin'), '*')
    const text = await response.text()
    const { servers } = JSON.parse(text) as { servers: object[] }
    assert.deepEqual(servers, [{ url }])
    const endpoints = [...text.matchAll(/"\w+Url":"([^"]*)"/g)].map(([, endpoint]) => endpoint)
    assert.deepEqual(new Set(endpoints), new Set([`${url}/oidc/auth`, `${url}/oidc/token`]))
    const relative = text.replaceAll(`"${url}"`, '"/"').replaceAll(`"${url}/`, '"/')
    assert.deepEqual(JSON.parse(relative), readDocument())
  })

  it('compresses the document for clients that accept compression, and returns 304 when it is unchanged', async () => {
    const sizes = []
    for (const encoding of ['identity', 'gzip', 'br']) {
      const accept = { 'accept-encoding': encoding }
      const { status, headers, body } = await getBytes(
        new URL('/openapi.json', service.url),
        accept,
      )
      assert.equal(status, 200)
      assert.equal(headers['content-encoding'], encoding === 'identity' ? undefined : encoding)
      assert.equal(headers['content-type'], 'application/json; charset=utf-8')
      assert.equal(headers['vary'], 'Accept-Encoding')
      const known = { ...accept, 'if-none-match': headers.etag ?? '' }
      const repeated = await getBytes(new URL('/openapi.json', service.url), known)
      assert.deepEqual(
        [repeated.status, repeated.body.length, repeated.headers.etag],
        [304, 0, headers.etag],
      )
      sizes.push(body.length)
    }
    const [whole = 0, gzipped = 0, brotli = 0] = sizes
    assert.ok(whole > 10 * gzipped && gzipped > brotli, sizes.join(', '))
  })
})
