import { sql } from 'kysely'
import { hashToken } from '../../src/kernel/opaque-tokens.ts'
import { signal } from '../../src/db/upkeep/signals.ts'
import { basicAuthorization } from '#test/authorization.ts'
import { APPS_PATH } from '#test/developer.ts'
import type { AnyJson } from '#test/user-api.ts'
import type { CampaignUser } from './actors.ts'
import { sendToVictim, sendWrite, type Answer } from './client.ts'
import { makeFlowWriter } from './flow-writer.ts'
import { rater, scorer } from './rating-writers.ts'
import { api, lastOf, pickKey, type MakeWriter, type Writer, type WriterContext } from './writer.ts'
import { UNKNOWN, type Ledger } from './ledger.ts'

/** Maximum numbers before the oldest one is deleted. */
const MAX_COLLECTIONS_OF_ONE = 12
const MAX_APPS_OF_ONE = 5
/** Share of requests that read the list, which also holds what was created without an answer. */
const LISTS = 0.04

/** Returns a writer for each user, and one for the catalog. They are called again and again, each in sequence. */
export const makeWriters = (context: WriterContext): Writer[] => [
  ...context.cast.users.map((actor) => MAKERS[actor.kind](context, actor)),
  entryWriter(context),
]

const voter: MakeWriter = (context, actor) => {
  const { ledger, cast } = context
  const send = api(context, actor)
  const keys = cast.reviews.map((id) => `vote ${actor.user.id} ${id}`)
  return async (random) => {
    const key = pickKey(ledger, random, keys)
    const vote = random.pick(['LIKE', 'DISLIKE', null])
    const write = ledger.send('vote', key, () => vote)
    const request = vote === null ? { method: 'DELETE' } : { method: 'PUT', body: { vote } }
    await sendWrite(ledger, write, () => send(`/v3/user/me/reviews/${lastOf(key)}/vote`, request))
  }
}

/** Deletes the oldest element of a list if it has more than `limit`. Its key then has no row. */
async function deleteOldest(
  ledger: Ledger,
  kind: 'collection' | 'app',
  list: { key: string; id: string }[],
  limit: number,
  send: (id: string) => Promise<Answer>,
): Promise<string | undefined> {
  const [oldest] = list
  if (!oldest || list.length <= limit) return undefined
  list.shift()
  await sendWrite(
    ledger,
    ledger.send(kind, oldest.key, () => null),
    () => send(oldest.id),
  )
  return oldest.id
}

const collector: MakeWriter = (context, actor) => {
  const { ledger, cast } = context
  const send = api(context, actor)
  const path = '/v3/user/me/collections'
  const made: { key: string; id: string }[] = []
  const keyOf = (name: string) => `collection ${actor.user.id} ${name}`
  const create = async () => {
    const nameOf = (number: number) => `list ${number}`
    const write = ledger.send(
      'collection',
      (number) => keyOf(nameOf(number)),
      () => '1',
    )
    const { outcome, body } = await sendWrite(ledger, write, () =>
      send(path, { method: 'POST', body: { name: nameOf(write.number) } }),
    )
    if (outcome === 'acknowledged') made.push({ key: write.key, id: String(body.data.id) })
  }
  const list = async () => {
    const { outcome, body } = await send(`${path}?page_size=100`, {})
    if (outcome === 'acknowledged')
      made.splice(
        0,
        Infinity,
        ...body.data.flatMap(({ id, name, is_default }: AnyJson) =>
          is_default ? [] : { id: String(id), key: keyOf(name) },
        ),
      )
  }
  return async (random) => {
    if (random.chance(LISTS)) return list()
    const removed = await deleteOldest(ledger, 'collection', made, MAX_COLLECTIONS_OF_ONE, (id) =>
      send(`${path}/${id}`, { method: 'DELETE' }),
    )
    if (removed !== undefined) ledger.forget((key) => key.startsWith(`item ${removed} `))
    if (made.length === 0 || random.chance(0.2)) return create()
    const { id } = random.pick(made)
    const key = pickKey(
      ledger,
      random,
      cast.works.map((work) => `item ${id} ${work}`),
    )
    const item = `${path}/${id}/items/galgames/${lastOf(key)}`
    const isPresent = ledger.valueOf(key) !== null
    const write = ledger.send('item', key, (number) =>
      isPresent && random.chance(0.3) ? null : `note ${number}`,
    )
    const request =
      write.value === null ? { method: 'DELETE' } : { method: 'PUT', body: { note: write.value } }
    await sendWrite(ledger, write, () => send(item, request))
  }
}

const developer: MakeWriter = (context, actor) => {
  const { ledger } = context
  const send = api(context, actor)
  const made: { key: string; id: string }[] = []
  /** True if there may be an app that is not in `made`. A user can have only a limited number of apps. */
  let mayHaveMore = false
  const secretIn = ({ data }: AnyJson) => hashToken(data.client_secret)
  const list = async () => {
    const { outcome, body } = await send(APPS_PATH, {})
    if (outcome !== 'acknowledged') return
    mayHaveMore = false
    made.splice(
      0,
      Infinity,
      ...body.data.map(({ client_id: id, client_name }: AnyJson) => ({
        id,
        key: `app ${client_name}`,
      })),
    )
  }
  return async (random) => {
    if (mayHaveMore || random.chance(LISTS)) return list()
    const removed = await deleteOldest(ledger, 'app', made, MAX_APPS_OF_ONE, (id) =>
      send(`${APPS_PATH}/${id}`, { method: 'DELETE' }),
    )
    if (removed !== undefined) {
      ledger.forget((key) => key === `secret ${removed}`)
      mayHaveMore = true
    }
    if (made.length > 0 && random.chance(0.6)) {
      const { id } = random.pick(made)
      const write = ledger.send('secret', `secret ${id}`, () => UNKNOWN)
      const rotate = () => send(`${APPS_PATH}/${id}/secret`, { method: 'POST' })
      await sendWrite(ledger, write, rotate, secretIn)
      return
    }
    const nameOf = (number: number) => `app-${number}`
    const write = ledger.send(
      'app',
      (number) => `app ${nameOf(number)}`,
      () => '1',
    )
    const { outcome, body } = await sendWrite(ledger, write, () =>
      send(APPS_PATH, { method: 'POST', body: { client_name: nameOf(write.number) } }),
    )
    if (outcome === 'acknowledged') made.push({ key: write.key, id: body.data.client_id })
    else mayHaveMore = true
  }
}

/** Refreshes tokens in a chain. An unanswered refresh is repeated with the same token, which must succeed. */
const chain: MakeWriter = (context, actor) => {
  const { ledger, url, cast } = context
  return async () => {
    const write = ledger.send('refresh', `refresh ${actor.user.id}`, () => null)
    const form = { grant_type: 'refresh_token', refresh_token: actor.refreshToken ?? '' }
    const { outcome, body } = await sendWrite(ledger, write, () =>
      sendToVictim(ledger, `${url}/oidc/token`, {
        method: 'POST',
        form,
        headers: basicAuthorization(cast.app),
      }),
    )
    if (outcome !== 'acknowledged') return
    Object.assign(actor, { token: body.access_token, refreshToken: body.refresh_token })
  }
}

const MAKERS: Record<CampaignUser['kind'], MakeWriter> = {
  rater,
  scorer,
  voter,
  collector,
  developer,
  chain,
  flow: makeFlowWriter,
}

/** Renames people in transactions, as an import does, without the service. The change feed must report each. */
function entryWriter({ ledger, cast, database }: WriterContext): Writer {
  const keys = cast.people.map(({ id, name }) => {
    const key = `entry ${id}`
    ledger.begin(key, name)
    return key
  })
  return async (random) => {
    const key = pickKey(ledger, random, keys)
    const write = ledger.send('entry', key, (number) => `Person ${number}`)
    await sendWrite(ledger, write, () =>
      database()
        .transaction()
        .execute(async (trx) => {
          await sql`update people set name = ${write.value} where id = ${Number(lastOf(key))}`.execute(
            trx,
          )
          await signal(trx, 'catalog')
        })
        .then(
          (): Answer => ({ outcome: 'acknowledged' }),
          (): Answer => ({ outcome: 'unanswered' }),
        ),
    )
    // Leaves most of the time to the service.
    await new Promise((resolve) => setTimeout(resolve, random.below(30)))
  }
}
