import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { eventually } from '#test/browser.ts'
import { readDocument, responsesOf } from '#test/openapi.ts'
import { startService, type TestService } from '#test/service.ts'
import { KINDS } from './kinds.ts'

const BASE = '/api/v3/open'

/** Fields that depend on the time of the import, which differs from the example's. */
const TIMESTAMP_FIELDS = new Set(['created_at', 'updated_at', 'revised_at', 'changed_at'])
/** Fields whose value depends on the caller's scope. */
const CURSORS = new Set(['next_cursor'])
/** Text fields that an example may truncate after a sentence. */
const LONG_TEXTS = new Set([
  'origin_intro',
  'trans_intro',
  'en_intro',
  'intro',
  'summary',
  'summary_cn',
])

/**
 * Checks that the response contains the example. Lists and long text in the example may be shorter.
 *
 * @throws {AssertionError}
 */
function assertMatches(example: unknown, actual: unknown, path: string) {
  if (Array.isArray(example)) {
    assert.ok(Array.isArray(actual), path)
    assert.equal(
      example.length === 0,
      actual.length === 0,
      `${path} is empty in either the example or the response`,
    )
    let next = 0
    for (const [index, item] of example.entries()) {
      while (next < actual.length && !isTrue(item, actual[next])) next += 1
      assert.ok(
        next < actual.length,
        `${path}[${index}] is not in the response, or not in this order`,
      )
      next += 1
    }
  } else if (isObject(example)) {
    assert.ok(isObject(actual), path)
    assert.deepEqual(Object.keys(example).toSorted(), Object.keys(actual).toSorted(), path)
    for (const [name, value] of Object.entries(example)) {
      const found = actual[name]
      if (TIMESTAMP_FIELDS.has(name)) continue
      if (CURSORS.has(name) && typeof value === typeof found) continue
      if (LONG_TEXTS.has(name) && isCutShort(value, found)) continue
      assertMatches(value, found, `${path}.${name}`)
    }
  } else assert.deepEqual(example, actual, path)
}

function isTrue(example: unknown, actual: unknown): boolean {
  try {
    assertMatches(example, actual, '')
    return true
  } catch {
    return false
  }
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const isCutShort = (example: unknown, actual: unknown) =>
  typeof example === 'string' &&
  typeof actual === 'string' &&
  /[。.]$/.test(example) &&
  actual.startsWith(example)

/** Replaces this service's picture URLs, which depend on its signing key, with those of the sources. */
const sourcePictures = (value: unknown): unknown =>
  value === undefined
    ? undefined
    : JSON.parse(
        JSON.stringify(value).replaceAll(
          /"https?:[^"]*\/pictures\/[\w-]{22}\/(https?)\//g,
          '"$1://',
        ),
      )

describe('an example in the OpenAPI document', () => {
  let service: TestService
  let token: string
  before(async () => {
    service = await startService({ engine: 'server' })
    token = await service.token('catalog:full')
  })
  after(() => service.close())

  const document = readDocument()
  function examplesOf(path: string, name = 'sample'): unknown {
    const described = document.paths[path]?.['get']
    const responses = described && responsesOf(document, described)
    const examples = responses?.['200']?.content?.['application/json']?.examples
    // as: the envelope of §2.1
    return sourcePictures((examples?.[name]?.value as { data: unknown } | undefined)?.data)
  }
  async function fetchData(path: string): Promise<unknown> {
    const response = await service.get(path, token)
    assert.equal(response.status, 200, path)
    // as: the envelope of §2.1
    return sourcePictures(((await response.json()) as { data: unknown }).data)
  }

  for (const { path } of Object.values(KINDS)) {
    // as: every entry has an id
    const { id } = examplesOf(`${BASE}/${path}/{id}`) as { id: number }

    it(`matches the response for the bundled sample: ${path} ${id}`, async () => {
      assertMatches(
        examplesOf(`${BASE}/${path}/{id}`),
        await fetchData(`${BASE}/${path}/${id}`),
        path,
      )
    })

    it(`is the same for a batch as for a single detail: ${path}`, () => {
      // as: the response of a batch
      const { items } = examplesOf(`${BASE}/${path}`) as { items: unknown[] }
      assert.deepEqual(items, [examplesOf(`${BASE}/${path}/{id}`)])
    })

    it(`matches the beginning of the list of ${path}`, async () => {
      const example = examplesOf(`${BASE}/${path}`, 'list')
      const fetchList = () => fetchData(`${BASE}/${path}?page_size=1`)
      // The popularity of people, producers and characters is summed in the background.
      await eventually(async () => isTrue(example, await fetchList()), `the list of ${path}`).catch(
        async () => assertMatches(example, await fetchList(), path),
      )
    })

    const lists = Object.keys(document.paths).filter((other) =>
      other.startsWith(`${BASE}/${path}/{id}/`),
    )
    for (const list of lists.filter((other) => !/\/(rates|works|similar)/.test(other)))
      it(`matches the list returned for the entry in the example: ${list}`, async () => {
        const example = examplesOf(list)
        assert.ok(Array.isArray(example) && example.length > 0)
        assertMatches(example, await fetchData(list.replace('{id}', String(id))), list)
      })
  }

  for (const [path, url] of Object.entries({
    'people/{id}/works': 'people/49/works?page_size=1',
    'producers/{id}/works': 'producers/19/works?page_size=1',
    'characters/{id}/works': 'characters/2/works?page_size=1',
    'galgames/{id}/similar': 'galgames/5/similar',
    'light-novels/{id}/similar': 'light-novels/138/similar',
    'mangas/{id}/similar': 'mangas/102/similar',
    lookup: 'lookup?source=vndb&id=v4,v999999',
    tags: 'tags?page_size=1',
    'tags/{name}/works': 'tags/key/works?page_size=1',
  }))
    it(`matches the response of ${url}`, async () => {
      assertMatches(examplesOf(`${BASE}/${path}`), await fetchData(`${BASE}/${url}`), path)
    })
})
