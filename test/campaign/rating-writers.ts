import { STATUSES } from '../../src/ratings/fields.ts'
import type { SeededRandom } from '#test/seeded-random.ts'
import type { AnyJson } from '#test/user-api.ts'
import type { CampaignUser } from './actors.ts'
import { sendWrite, type Answer } from './client.ts'
import { api, lastOf, pickKey, type MakeWriter, type Writer, type WriterContext } from './writer.ts'

/** Number of scores that a user can give. */
const SCORES = 91
/** Returns score and status as the check of the ledger reads them. */
const scoreOf = ({ rate, status }: AnyJson) => `${Number(rate).toFixed(1)} ${status}`

/**
 * Returns a writer that rates works, and deletes some of the ratings.
 *
 * @param save sends and records a PUT
 */
function makeRater(
  context: WriterContext,
  actor: CampaignUser,
  kind: 'rating' | 'score',
  save: (
    key: string,
    put: (body: object) => Promise<Answer>,
    random: SeededRandom,
  ) => Promise<unknown>,
): Writer {
  const { ledger, cast } = context
  const send = api(context, actor)
  const keys = cast.works.map((id) => `${kind} ${actor.user.id} ${id}`)
  return async (random) => {
    const key = pickKey(ledger, random, keys)
    const path = `/v3/user/me/rates/galgames/${lastOf(key)}`
    if (random.chance(0.15) && ledger.valueOf(key) !== null) {
      const write = ledger.send(kind, key, () => null)
      await sendWrite(ledger, write, () => send(path, { method: 'DELETE' }))
      return
    }
    await save(key, (body) => send(path, { method: 'PUT', body }), random)
  }
}

/** Writes ratings with reviews, which never share a statement. */
export const rater: MakeWriter = (context, actor) => {
  const { ledger } = context
  return makeRater(context, actor, 'rating', (key, put, random) => {
    const write = ledger.send('rating', key, (number) => `review ${number}`)
    const body = {
      rate: 1 + random.below(91) / 10,
      status: random.pick(['GOING', 'COMPLETED', 'PLAN']),
      rate_content: write.value,
    }
    return sendWrite(ledger, write, () => put(body))
  })
}

/** Writes only status and score, so that the writes of several users can share a statement. */
export const scorer: MakeWriter = (context, actor) => {
  const { ledger } = context
  /** Number of writes by key. Each write changes score and status. */
  const turns = new Map<string, number>()
  return makeRater(context, actor, 'score', (key, put) => {
    const turn = (turns.get(key) ?? 0) + 1
    turns.set(key, turn)
    const body = { rate: 1 + (turn % SCORES) / 10, status: STATUSES[turn % STATUSES.length] }
    const write = ledger.send('score', key, () => scoreOf(body))
    // The response must not contain another rating of the same statement.
    return sendWrite(
      ledger,
      write,
      () => put(body),
      ({ data }) => scoreOf(data),
    )
  })
}
