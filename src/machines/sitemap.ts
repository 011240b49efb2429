import { Readable } from 'node:stream'
import type { FastifyInstance } from 'fastify'
import { listEntriesBetween, listMaxIds } from '../browse/public-entries-queries.ts'
import { ENTRY_KINDS, KINDS, type EntryKind } from '../catalog/kinds.ts'
import type { Database } from '../db/database.ts'
import type { Reads } from '../db/replicas/reads.ts'
import { notFound } from '../http/wire/errors/refusals.ts'
import {
  findLastIndexableProfile,
  listIndexableProfiles,
  profilePath,
} from '../profiles/queries.ts'
import { GUIDE_PAGES, guidePath } from '../guide/guide-pages.ts'
import { entryPath } from '../site/components/entry-path.ts'
import { PAGE } from '../site/options.ts'

/** Range of ids in one part. Entries never move to another part; a sitemap may list 50,000 URLs. */
const IDS_PER_PART = 20_000
/** Name of the parts that list user profiles by account id. */
const PROFILES = 'readers'
/** Rows read per query. */
const BATCH_SIZE = 2_000

const HEAD = '<?xml version="1.0" encoding="UTF-8"?>\n'
const NAMESPACE = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"'
const HEADERS = {
  'content-type': 'application/xml; charset=utf-8',
  'cache-control': 'public, max-age=3600',
}

export type SitemapOptions = {
  db: Database
  reads: Reads
  /** Paths of the routes marked with `LISTED_PAGE`. */
  listed: readonly string[]
}

/** Serves `/sitemap.xml`, the index, and its parts. They list only what guests may see. */
export async function sitemapRoutes(app: FastifyInstance, { db, reads, listed }: SitemapOptions) {
  app.get('/sitemap.xml', PAGE, async (request, reply) => {
    const { origin } = request.page
    const lines = (await listParts(db, reads)).map(
      (part) => `<sitemap><loc>${origin}/sitemaps/${part}.xml</loc></sitemap>\n`,
    )
    return reply
      .headers({ ...HEADERS, 'x-request-id': request.id })
      .send(`${HEAD}<sitemapindex ${NAMESPACE}>\n${lines.join('')}</sitemapindex>\n`)
  })

  app.get<{ Params: { part: string } }>('/sitemaps/:part', PAGE, async (request, reply) => {
    const { origin } = request.page
    if (!(await listParts(db, reads)).includes(request.params.part.replace(/\.xml$/, '')))
      throw notFound()
    const urls = urlsOf({ db, reads }, request.params.part, listed)
    if (!urls) throw notFound()
    return reply
      .headers({ ...HEADERS, 'x-request-id': request.id })
      .send(Readable.from(document(origin, urls), { objectMode: false }))
  })
}

/** Returns the names of the parts that the index lists. */
async function listParts(db: Database, reads: Reads): Promise<string[]> {
  const [lastIds, lastReader] = await Promise.all([listMaxIds(reads), findLastIndexableProfile(db)])
  const partsUpTo = (name: string, last: number) =>
    Array.from({ length: Math.ceil(last / IDS_PER_PART) }, (_, index) => `${name}-${index + 1}`)
  const ofEntries = ENTRY_KINDS.flatMap((kind) =>
    partsUpTo(KINDS[kind].path, lastIds.find((found) => found.kind === kind)?.last ?? 0),
  )
  return ['pages', ...ofEntries, ...partsUpTo(PROFILES, lastReader)]
}

type SitemapUrl = { path: string; changedAt?: Date }

/** Returns the URLs of a part; undefined if the part does not exist. */
function urlsOf(
  { db, reads }: Pick<SitemapOptions, 'db' | 'reads'>,
  part: string,
  listed: readonly string[],
): AsyncIterable<SitemapUrl> | Iterable<SitemapUrl> | undefined {
  if (part === 'pages.xml')
    return [...listed, ...GUIDE_PAGES.map(guidePath)].map((path) => ({ path }))
  const [, path, digits] = /^([a-z-]+)-([1-9]\d{0,5})\.xml$/.exec(part) ?? []
  if (path === PROFILES) return profilesOf(db, Number(digits))
  const kind = ENTRY_KINDS.find((name) => KINDS[name].path === path)
  return kind && entriesOf(reads, kind, Number(digits))
}

async function* entriesOf(
  reads: Reads,
  kind: EntryKind,
  number: number,
): AsyncGenerator<SitemapUrl> {
  const upTo = number * IDS_PER_PART
  for (let after = upTo - IDS_PER_PART; ;) {
    const entries = await listEntriesBetween(reads, kind, { after, upTo }, BATCH_SIZE)
    for (const { id, changed_at } of entries)
      yield { path: entryPath(kind, id), changedAt: changed_at }
    if (entries.length < BATCH_SIZE) return
    after = entries.at(-1)?.id ?? upTo
  }
}

/** Yields the profiles whose owners allow indexing (decision 0023). */
async function* profilesOf(db: Database, number: number): AsyncGenerator<SitemapUrl> {
  const upTo = number * IDS_PER_PART
  for (let after = upTo - IDS_PER_PART; ;) {
    const profiles = await listIndexableProfiles(db, { after, upTo }, BATCH_SIZE)
    for (const profile of profiles)
      yield { path: profilePath(profile), changedAt: profile.updated_at }
    if (profiles.length < BATCH_SIZE) return
    after = profiles.at(-1)?.account_id ?? upTo
  }
}

async function* document(origin: string, urls: AsyncIterable<SitemapUrl> | Iterable<SitemapUrl>) {
  yield `${HEAD}<urlset ${NAMESPACE}>\n`
  for await (const { path, changedAt } of urls)
    yield `<url><loc>${origin}${path}</loc>${changedAt ? `<lastmod>${changedAt.toISOString()}</lastmod>` : ''}</url>\n`
  yield '</urlset>\n'
}
