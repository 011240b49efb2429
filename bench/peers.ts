import helmet from '@fastify/helmet'
import rateLimit from '@fastify/rate-limit'
import fastify, { type FastifyRequest } from 'fastify'
import { createRemoteJWKSet, decodeJwt, jwtVerify } from 'jose'
import { Kysely, PostgresDialect } from 'kysely'
import pg from 'pg'
import { destination } from 'pino'
import type { Tables } from '../src/db/tables.ts'
import type { Catalog } from './support/catalog.ts'
import type { ServerProcess } from './support/children.ts'
import type { Claim } from './support/claim.ts'
import { addUsers, fillRatings, RATED_WORKS } from './support/fill-ratings.ts'
import { CONNECTIONS } from './support/pgbench.ts'
import { toResult } from './support/report.ts'
import { compare } from './support/rounds.ts'
import type { Service } from './support/service.ts'
import { speedOf } from './support/speed.ts'
import type { Stage } from './support/stage.ts'
import { tokenFile, userTokens } from './support/user-tokens.ts'
import type { Load } from './support/wrk.ts'

/**
 * Measures the service against a peer: two routes written as the documentation of the usual libraries shows,
 * on the same database, load and tokens. The peer is the floor, so the ratio is the factor by which the service is faster. The
 * peer writes no deltas of totals.
 */
export const peers: Claim = {
  name: 'peers',
  async measure(stage) {
    const catalog = await stage.ownCatalog('peers')
    await fillRatings(catalog, 100_000)
    const users = await addUsers(catalog, 32)
    const settings = { DATABASE_POOL_SIZE: String(CONNECTIONS) }
    const service = await stage.serve(catalog, settings)
    const uncached = await stage.serve(catalog, { ...settings, CATALOG_CACHE_MIB: '0' })
    const against = async (row: string, subject: Service, token: string, load: OwnLoad) => {
      const peer = await startPeer(stage, catalog, subject, token)
      const speedAt = (server: ServerProcess) =>
        speedOf(
          stage,
          server,
          { ...load, url: server.url + load.url, ids: RATED_WORKS },
          'database',
        )
      const comparison = await compare(stage, speedAt(peer), speedAt(subject))
      await peer.stop()
      return toResult(`${row}, to a peer`, comparison)
    }
    const detail = (row: string, subject: Service) => {
      const { headers } = subject
      const [, token = ''] = headers.authorization.split(' ')
      return against(row, subject, token, { url: '/api/v3/open/galgames/1', headers })
    }
    const tokens = await userTokens(service, users)
    const results = [
      await detail('detail', service),
      await detail('detail not in memory', uncached),
      await against('rating PUT', service, tokens[0] ?? '', {
        url: '/v3/user/me/rates/galgames/1',
        tokens: tokenFile(stage, tokens),
        ratings: true,
      }),
    ]
    await Promise.all([service.stop(), uncached.stop()])
    return results
  },
}

type OwnLoad = Omit<Load, 'seconds' | 'ids'>

function startPeer({ children }: Stage, catalog: Catalog, { url }: Service, token: string) {
  const { iss = '', aud = '' } = decodeJwt(token)
  const command = [process.execPath, import.meta.filename]
  return children.serve(
    [...command, catalog.databaseUrl ?? '', `${url}/oidc/jwks`, iss, String(aud)],
    { NODE_ENV: 'production' },
  )
}

const TEXT = { type: 'string', nullable: true }
const NUMBER = { type: 'number', nullable: true }
const INTEGER = { type: 'integer' }
const BOOLEAN = { type: 'boolean' }
const TIME = { type: 'string', format: 'date-time', nullable: true }
const objectOf = (properties: object) => ({ type: 'object', properties })
const listOf = (items: object) => ({ type: 'array', items })
const listOfObjects = (properties: object) => listOf(objectOf(properties))
const PICTURE = { url: TEXT, width: NUMBER, height: NUMBER, sexual: NUMBER, violence: NUMBER }

const textColumns = <const Name extends string>(...names: Name[]) =>
  // as: exactly these names
  Object.fromEntries(names.map((name) => [name, TEXT])) as Record<Name, object>

/** Columns of a detail, with their response schemas. */
const GALGAME = {
  id: INTEGER,
  ...textColumns('origin_title', 'trans_title', 'en_title', 'romaji_title', 'ko_title'),
  ...textColumns('origin_intro', 'trans_intro', 'en_intro', 'release_date_tbd_note'),
  ...textColumns('adv_type', 'homepage', 'engine', 'origin_lang', 'dev_status'),
  aliases: listOf(TEXT),
  covers: listOfObjects({ ...PICTURE, votes: NUMBER }),
  images: listOfObjects(PICTURE),
  release_date: TIME,
  release_date_tbd: BOOLEAN,
  platforms: listOf(TEXT),
  prices: listOfObjects({ version: TEXT, amount: NUMBER, currency: TEXT, tax_included: BOOLEAN }),
  external_links: listOfObjects({ label: TEXT, name: TEXT, url: TEXT }),
  steam_apps: listOfObjects({ app_id: INTEGER }),
}
const TIMES = { created_at: TIME, updated_at: TIME }
const WORK = {
  tags: listOfObjects({ name: TEXT, likes: INTEGER }),
  source_scores: listOfObjects({ source: TEXT, score: NUMBER, votes: INTEGER, rank: NUMBER }),
  nsfw: BOOLEAN,
  ...TIMES,
  revised_at: TIME,
}
const CHANGE = { status: TEXT, rate: NUMBER }
const RATING = { id: INTEGER, ...CHANGE, ...TIMES, like_count: INTEGER, dislike_count: INTEGER }
const namesIn = <Name extends string>(columns: Record<Name, object>) =>
  // as: Object.keys loses the type
  Object.keys(columns) as Name[]
const params = objectOf({ id: { type: 'integer', minimum: 1 } })
const success = (data: object) => ({
  200: objectOf({ success: BOOLEAN, data: objectOf(data), request_id: TEXT, timestamp: TEXT }),
})

/** Serves the two requests. Arguments: database URL, URL of the keys, issuer and audience of tokens. */
async function servePeer([
  connectionString = '',
  keysUrl = '',
  issuer = '',
  audience = '',
]: string[]) {
  const db = new Kysely<Tables>({
    dialect: new PostgresDialect({ pool: new pg.Pool({ connectionString, max: CONNECTIONS }) }),
  })
  const keys = createRemoteJWKSet(new URL(keysUrl))
  // Requests are logged at the default level, to /dev/null.
  const app = fastify({ logger: { stream: destination('/dev/null') } })
  await app.register(helmet)
  await app.register(rateLimit, {
    max: 1_000_000_000,
    timeWindow: '1 minute',
    keyGenerator: ({ headers }) => headers.authorization ?? '',
  })
  const authorize = async ({ headers }: FastifyRequest, scope: string) => {
    const [, token = ''] = /^Bearer (\S+)$/.exec(headers.authorization ?? '') ?? []
    const { payload } = await jwtVerify(token, keys, { issuer, audience })
    if (!String(payload['scope']).split(' ').includes(scope)) throw new Error('insufficient scope')
    return Number(payload.sub)
  }
  const envelope = ({ id }: FastifyRequest, data: object) => ({
    success: true,
    data,
    request_id: id,
    timestamp: new Date().toISOString(),
  })

  app.get<{ Params: { id: number } }>(
    '/api/v3/open/galgames/:id',
    { schema: { params, response: success({ ...GALGAME, ...WORK }) } },
    async (request, reply) => {
      await authorize(request, 'catalog:full')
      const galgame = await db
        .selectFrom('galgames')
        .innerJoin('works', 'works.id', 'galgames.id')
        .select(namesIn(GALGAME).map((name) => `galgames.${name}` as const))
        .select(namesIn(WORK).map((name) => `works.${name}` as const))
        .where('galgames.id', '=', request.params.id)
        .executeTakeFirst()
      return galgame ? envelope(request, galgame) : reply.callNotFound()
    },
  )

  app.put<{ Params: { id: number }; Body: { status: string; rate: number } }>(
    '/v3/user/me/rates/galgames/:id',
    { schema: { params, body: objectOf(CHANGE), response: success(RATING) } },
    async (request) => {
      const account_id = await authorize(request, 'status:write')
      const { status, rate } = request.body
      const key = { account_id, work_id: request.params.id, kind: 'galgame' }
      const updated_at = new Date()
      const rating = await db.transaction().execute(async (trx) => {
        const before = await trx
          .selectFrom('ratings')
          .select(['status', 'rate'])
          .where('account_id', '=', account_id)
          .where('work_id', '=', key.work_id)
          .forUpdate()
          .executeTakeFirst()
        const saved = await trx
          .insertInto('ratings')
          .values({ ...key, status, rate, updated_at })
          .onConflict((conflict) =>
            conflict.columns(['account_id', 'work_id']).doUpdateSet({ status, rate, updated_at }),
          )
          .returning(namesIn(RATING))
          .executeTakeFirstOrThrow()
        const fields = JSON.stringify({ from: before ?? null, to: { status, rate } })
        await trx
          .insertInto('rating_changes')
          .values({ ...key, action: before ? 'CHANGED' : 'CREATED', fields })
          .execute()
        return saved
      })
      return envelope(request, rating)
    },
  )
  console.log(JSON.stringify({ listening: await app.listen({ port: 0, host: '127.0.0.1' }) }))
}

if (import.meta.main) await servePeer(process.argv.slice(2))
