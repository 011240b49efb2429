/** Checks which data may be read from a replica (decision 0038). */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { sql } from 'kysely'
import { readDocument } from '#test/openapi.ts'
import { first, sampleWorks } from '#test/sample-works.ts'
import { startService, type TestService } from '#test/service.ts'
import { fetchSitemapPaths } from '#test/sitemap-paths.ts'
import { signInCookie } from '#test/signed-in-page.ts'
import { KINDS, ENTRY_KINDS } from '../src/catalog/kinds.ts'
import type { Database } from '../src/db/database.ts'
import type { ReplicatedReads } from '../src/db/replicas/reads.ts'

/** Tables that reads on replicas may use. None contains accounts, sessions, tokens or users' own data. */
const TABLES = [
  'characters',
  'galgame_character_actors',
  'galgame_characters',
  'galgame_producers',
  'galgame_relations',
  'galgame_staff',
  'galgames',
  'import_runs',
  'kind_ratings',
  'light_novel_characters',
  'light_novel_people',
  'light_novel_producers',
  'light_novel_volumes',
  'light_novels',
  'listing_facets',
  'listings',
  'manga_characters',
  'manga_people',
  'manga_producers',
  'manga_volumes',
  'mangas',
  'merged_entries',
  'people',
  'producers',
  'rating_counts',
  'ratings',
  'search_entries',
  'search_words',
  'shown_works',
  'similar_works',
  'source_records',
  'source_same_as',
  'tag_counts',
  'tag_listings',
  'tags',
  'work_links',
  'work_profiles',
  'work_ratings',
  'works',
]

/** Query strings for operations that require one, or that run different statements with one. */
const QUERIES: Record<string, string[]> = {
  '/api/v3/open/lookup': ['source=vndb&id=v4', 'isbn=9784091865465'],
  '/api/v3/open/search': ['q=CLANNAD', 'q=CLANNAT', 'q=v4', 'q=Key+CLANNAD'],
  '/api/v3/open/search/instant': ['q=CLANNAD'],
  '/api/v3/open/search/suggestions': ['q=CLAN'],
  '/api/v3/open/galgames': ['', 'ids=1,2,999', 'sort=score&min_score=1', 'tag=恋愛&nsfw=false'],
}

/** Fills in the path parameters. */
const parametersOf = (path: string) =>
  path.replace('{id}', '1').replace('{name}', encodeURIComponent('恋愛'))

const isOfUsers = (path: string) =>
  /\/(user\/me|developer|collections|profiles)\b|\/health\/|\/rates$/.test(path)

describe('statements that a replica may run', () => {
  let service: TestService
  const sent = new Set<string>()
  before(async () => {
    service = await startService({ readsOf: (db) => recordingReads(db, sent) })
  })
  after(() => service.close())

  it('only read, and read only tables of the catalog', async () => {
    await requestEverything(service)
    assert.ok(sent.size > 40, `${sent.size} statements`)
    const { rows } = await sql<{ name: string }>`
      select relname as name from pg_class
      where relnamespace = 'public'::regnamespace and relkind in ('r', 'v', 'm')`.execute(
      service.db,
    )
    const read = new Set<string>()
    for (const text of sent) {
      assert.match(text, /^\s*(select|with|set local)\b/i)
      assert.doesNotMatch(
        text,
        /\b(insert|update|delete|merge into|nextval|for (no key )?update|for (key )?share)\b/i,
      )
      for (const { name } of rows) if (new RegExp(`\\b${name}\\b(?!\\.)`).test(text)) read.add(name)
    }
    assert.deepEqual([...read].toSorted(), TABLES)
    // Keywords are extracted from public reviews. No other statement reads ratings.
    for (const text of sent) if (/\bratings\b/.test(text)) assert.match(text, /rate_content/)
  })
})

/** Runs reads on the primary, and records their text. */
function recordingReads(db: Database, sent: Set<string>): ReplicatedReads {
  const executeQuery = ((query, options) => {
    sent.add('compile' in query ? query.compile().sql : query.sql)
    return db.executeQuery(query, options)
  }) as Database['executeQuery']
  return {
    executeQuery,
    inTransaction: (work) =>
      db.transaction().execute((trx) => {
        const run = trx.executeQuery.bind(trx)
        trx.executeQuery = (query, options) => {
          sent.add('compile' in query ? query.compile().sql : query.sql)
          return run(query, options)
        }
        return work(trx)
      }),
  }
}

async function requestEverything(service: TestService) {
  const token = await service.token('catalog:full catalog:sync')
  const operations = Object.entries(readDocument().paths).flatMap(([path, methods]) =>
    'get' in methods && !isOfUsers(path) ? [path] : [],
  )
  for (const path of operations)
    for (const query of QUERIES[path] ?? ['']) {
      const response = await service.get(`${parametersOf(path)}?${query}`, token)
      assert.ok([200, 404].includes(response.status), `${path}?${query}: ${response.status}`)
    }
  const cookie = await signInCookie(service, { nsfw: true })
  const works = await sampleWorks(service.db)
  const pages = [
    ...(await fetchSitemapPaths(service.url)),
    ...ENTRY_KINDS.map((kind) => `/${KINDS[kind].path}/1`),
    `/galgames/${first(works.galgame)}`,
    '/search?q=CLANNAD',
    '/galgames?sort=score&tag=恋愛',
    '/sitemap.xml',
    '/sitemaps/galgames-1.xml',
  ]
  for (const path of pages) {
    const response = await service.get(path, undefined, { accept: 'text/html', cookie })
    assert.ok([200, 404].includes(response.status), `${path}: ${response.status}`)
    await response.text()
  }
}
