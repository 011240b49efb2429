import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { sql } from 'kysely'
import { createClient, obtainTokens } from '#test/authorization.ts'
import { consoleTokens } from '#test/developer.ts'
import { createFilledUser } from '#test/filled-user.ts'
import { callWithGeneratedClient, DOCUMENT, type Generator } from '#test/generated-client.ts'
import { readDocument, responsesOf, type Document } from '#test/openapi.ts'
import { sendApiRequest } from '#test/user-api.ts'
import { CHECKOUT } from '#test/program.ts'
import { removeFolder } from '#test/scratch-folder.ts'
import { startService, type TestService } from '#test/service.ts'
import { decoderOf } from '#test/strict-decoder.ts'
import { first, sampleWorks } from '#test/sample-works.ts'

const KINDS = ['galgames', 'light-novels', 'mangas', 'people', 'producers', 'characters']

/** Generators that test/clients installs. The programs return the status and the names of fields. */
const GENERATORS: Record<string, Generator> = {
  orval: {
    command: ['orval'],
    config: (server) => [
      // Loaded by this name only: from `--config`, orval reads a module of ES as if it were CommonJS.
      'orval.config.mjs',
      `export default {
        client: {
          input: ${JSON.stringify(DOCUMENT)},
          output: { target: 'client.ts', client: 'fetch', baseUrl: '${server}' },
        },
      }`,
    ],
    program: `
      import { getGalgame } from './client'
      export async function call(server: string, token: string, id: number) {
        const headers = { authorization: \`Bearer \${token}\` }
        const response = await getGalgame(id, { include: ['staff', 'characters'], fields: ['id', 'nsfw'] }, { headers })
        return [response.status, response.status === 200 && Object.keys(response.data.data)]
      }`,
  },
  oazapfts: {
    command: ['oazapfts', DOCUMENT, 'client.ts'],
    program: `
      import { defaults, getGalgame } from './client'
      export async function call(server: string, token: string, id: number) {
        defaults.baseUrl = server
        defaults.headers = { authorization: \`Bearer \${token}\` }
        const response = await getGalgame(id, { include: ['staff', 'characters'], fields: ['id', 'nsfw'] })
        return [response.status, response.status === 200 && Object.keys(response.data.data)]
      }`,
  },
}

describe('a client generated from the document', () => {
  for (const [name, generator] of Object.entries(GENERATORS))
    it(`compiles and calls the service if ${name} generates it`, async () => {
      const service = await startService()
      // In the checkout, so that the compiler and the bundler find the packages that it imports.
      const parent = join(CHECKOUT, 'node_modules/.cache')
      mkdirSync(parent, { recursive: true })
      const folder = mkdtempSync(join(parent, 'generated-client-'))
      try {
        const bin = join(CHECKOUT, 'node_modules/.bin')
        const { result } = await callWithGeneratedClient(service, folder, bin, generator)
        assert.deepEqual(result, [200, ['id', 'nsfw', 'included']])
      } finally {
        removeFolder(folder)
        await service.close()
      }
    })

  it('contains no schema name that collides with a generated parameter name', () => {
    const { components } = readDocument() as unknown as {
      components: Record<'schemas' | 'parameters', object>
    }
    const schemas = new Set(Object.keys(components.schemas))
    for (const name of Object.keys(components.parameters)) {
      const word = name
        .split(/\W|_/)
        .map((part) => part.charAt(0).toUpperCase() + part.slice(1))
        .join('')
      for (const taken of [word, `${word}Parameter`]) assert.ok(!schemas.has(taken), taken)
    }
  })
})

describe('an integer of the document', () => {
  it('has 64 bits if it is an ID', () => {
    const short: string[] = []
    const look = (value: unknown, path: string): void => {
      if (typeof value !== 'object' || value === null) return
      const { type, format } = value as { type?: unknown; format?: unknown }
      const isId = /(?:^|[._])(?:id|to_id|into|since)$/.test(path)
      if (isId && [type].flat().includes('integer') && format !== 'int64') short.push(path)
      for (const [key, part] of Object.entries(value))
        if (!/^examples?$/.test(key)) look(part, `${path}.${key}`)
    }
    look(readDocument(), '')
    assert.deepEqual(short, [])
  })
})

describe('a decoder as strict as generated C#', () => {
  let service: TestService
  let token: string
  let document: Document
  before(async () => {
    service = await startService()
    token = await service.token('catalog:full catalog:sync')
    document = readDocument()
  })
  after(() => service.close())

  const decodeResponse = (path: string, url: string) =>
    decodeAt(`/api/v3/open/${path}`, `/api/v3/open/${url}`, token)

  /**
   * Fetches a path and decodes the response.
   *
   * @param path as the document spells it
   */
  async function decodeAt(
    path: string,
    url: string,
    bearer?: string,
    status = 200,
  ): Promise<unknown> {
    const operation = document.paths[path]?.['get']
    const media =
      operation && responsesOf(document, operation)[status]?.content?.['application/json']
    const response = await service.get(url, bearer)
    assert.equal(response.status, status, url)
    const body: unknown = await response.json()
    const fault = decoderOf(document)((media as unknown as { schema: object }).schema, body)
    assert.equal(fault, undefined, url)
    return body
  }

  for (const kind of KINDS)
    it(`accepts every detail and list response of ${kind}`, async () => {
      const response = await service.get(`/v3/${kind}?page_size=100`, token)
      // as: a page of a list
      const { data } = (await response.json()) as { data: { items: { id: number }[] } }
      assert.ok(data.items.length > 20)
      const lists = Object.keys(document.paths)
        .filter((path) => path.startsWith(`/api/v3/open/${kind}/{id}/`))
        .map((path) => path.slice('/api/v3/open/'.length))
      for (const { id } of data.items) {
        await decodeResponse(`${kind}/{id}`, `${kind}/${id}`)
        for (const list of lists.filter((path) => !/rates|reviews/.test(path)))
          await decodeResponse(list, list.replace('{id}', String(id)))
      }
    })

  it('accepts the response of every GET', async () => {
    const { db } = service
    const user = await createFilledUser(service)
    const app = await createClient(service, { accountId: user.id })
    const scope = 'status:write status:notes collection:write user:read'
    const { access_token: bearer } = await obtainTokens(service, { app, user, scope })
    const { access_token: consoleToken } = await consoleTokens(service, user)
    const tokenFor = (path: string) =>
      path.includes('/developer/') ? consoleToken : path.startsWith('/v3/') ? bearer : token
    const { galgame, light_novel, manga } = await sampleWorks(db)
    const { rows } = await sql<{
      collection: string
      client_id: string
      review: number
      tag: string
    }>`
      select
        (select id::text from collections where account_id = ${user.id} and description <> '') as collection,
        (select client_id from apps where client_name = 'A bookshelf') as client_id,
        (select min(id) from ratings where account_id <> ${user.id} and rate_content <> '') as review,
        (select min(name) from tags) as tag`.execute(db)
    const { collection, client_id: clientId, review, tag } = rows[0] ?? assert.fail()
    const report = { kind: 'REVIEW', id: review, reason: 'SPAM' }
    for (const [method, path, body] of [
      ['POST', 'reports', report],
      ['PUT', `reviews/${review}/vote`, { vote: 'LIKE' }],
    ] as const) {
      const request = { token: bearer, method, path: `/v3/user/me/${path}`, body }
      const { status, text } = await sendApiRequest(service.url, request)
      assert.ok(status < 300, text)
    }
    const values: Record<string, string | number | undefined> = {
      galgames: first(galgame),
      'light-novels': first(light_novel),
      mangas: first(manga),
      people: 1,
      producers: 1,
      characters: 1,
      collections: collection,
      reviews: review,
      tags: encodeURIComponent(tag),
      profiles: `yuki-${user.id}`,
      apps: clientId,
    }
    const queries: Record<string, string[]> = {
      '/api/v3/open/lookup': ['?source=vndb&id=v4'],
      '/api/v3/open/search': ['?q=a&page_size=100'],
      '/api/v3/open/search/instant': ['?q=a'],
      '/api/v3/open/search/suggestions': ['?q=clanad'],
    }
    for (const kind of KINDS) queries[`/api/v3/open/${kind}`] = ['', `?ids=${values[kind]}`]
    const unknown: string[] = []
    const empty: string[] = []
    for (const [path, { get }] of Object.entries(document.paths)) {
      if (!get) continue
      const url = path
        .replace('{kind}/{work_id}', `light-novels/${first(light_novel)}`)
        .replaceAll(/([\w-]+)\/\{\w+\}/g, (whole, part) =>
          values[part] === undefined ? whole : `${part}/${values[part]}`,
        )
      if (url.includes('{')) unknown.push(path)
      else
        for (const query of queries[path] ?? ['']) {
          const json = await decodeAt(path, url + query, tokenFor(path))
          // as: an envelope around a list, or anything else
          const { data } = json as { data?: { items?: unknown[] } | unknown[] | null }
          const items = Array.isArray(data) ? data : data?.items
          if (data === null || items?.length === 0) empty.push(path)
        }
    }
    assert.deepEqual(unknown, [], 'paths whose parameters the table cannot fill')
    // Other tests decode the lists of all entries. Nothing here has keywords, takedowns or refused requests.
    const isExpected =
      /[}]\/(?:characters|people|volumes|rates\/keywords|refused-requests)$|\/takedowns$/
    assert.deepEqual(
      empty.filter((path) => !isExpected.test(path)),
      [],
      'responses without items prove nothing',
    )
  })

  it('accepts errors', async () => {
    const [detail, list] = ['/api/v3/open/galgames/{id}', '/api/v3/open/galgames']
    await decodeAt(detail, `${list}/999999`, token, 404)
    await decodeAt(list, `${list}?page=0`, token, 422)
    await decodeAt(list, list, undefined, 401)
    const changes = '/api/v3/open/catalog/changes'
    await decodeAt(changes, changes, await service.token('catalog:read'), 403)
  })

  it('accepts an error code of a later version', async () => {
    const response = await service.get('/v3/galgames/999999', token)
    const schema = { $ref: '#/components/schemas/ErrorEnvelope' }
    // as: an error
    const body = (await response.json()) as { error: object }
    const later = { ...body, error: { ...body.error, code: 'COMMON_LATER' } }
    assert.equal(decoderOf(document)(schema, later), undefined)
  })

  it('rejects what such a client cannot decode', () => {
    const decode = decoderOf(document)
    const schema = {
      type: 'object',
      required: ['id', 'name', 'kind', 'image'],
      properties: {
        id: { type: 'integer' },
        name: { type: ['string', 'null'] },
        kind: { type: 'string', enum: ['A'] },
        image: { oneOf: [{ type: 'object', properties: {} }, { type: 'null' }] },
        large: { type: 'integer', format: 'int64' },
      },
    }
    const good = { id: 1, name: null, kind: 'A', image: null, large: 2 ** 40, added: 'later' }
    assert.equal(decode(schema, good), undefined)
    assert.match(decode(schema, { ...good, id: 2 ** 40 }) ?? '', /32 bits/)
    assert.match(decode(schema, { ...good, kind: 'B' }) ?? '', /"B"/)
    assert.match(decode(schema, { ...good, id: null }) ?? '', /null/)
    assert.match(decode(schema, { ...good, name: undefined }) ?? '', /required/)
    const nullableByAnyOf = { anyOf: [{ type: 'string' }, { type: 'null' }] }
    assert.match(decode(nullableByAnyOf, null) ?? '', /null/)
    const union = { anyOf: [{ type: 'string' }, schema] }
    assert.equal(decode(union, good), undefined)
    assert.match(decode(union, { ...good, id: 2 ** 40 }) ?? '', /no string/)
    assert.match(decode({ ...schema, additionalProperties: false }, good) ?? '', /added/)
    const named = { $ref: '#/components/schemas/ErrorEnvelope' }
    assert.match(decode({ anyOf: [named, named] }, good) ?? '', /discriminator/)
  })
})
