import { sql } from 'kysely'
import { createApp } from '../../src/apps/queries.ts'
import type { Database } from '../../src/db/database.ts'
import {
  ALL_SCOPES,
  CALLBACK,
  createUser,
  obtainTokens,
  type TestUser,
} from '#test/authorization.ts'
import { consoleTokens } from '#test/developer.ts'
import { withTestDatabase } from '#test/open-database.ts'
import { writeRating } from '#test/ratings.ts'
import { sampleWorks } from '#test/sample-works.ts'
import type { TestApp } from '#test/service.ts'
import type { CampaignStage } from './stage.ts'

/** Number of users of each kind. Each user sends one write at a time. */
const COUNTS = { rater: 4, scorer: 4, collector: 2, voter: 2, developer: 1, chain: 3, flow: 2 }
/**
 * Number of scorers whose ratings share statements. Each of the two workers receives more scores at once than the four
 * statements that it runs at once (decision 0058). A busy machine refuses some of their requests as overload, and
 * most of them with an embedded database.
 */
export const SHARING_SCORERS = 16
type ActorKind = keyof typeof COUNTS

/** Galgames that users rate and collect. */
const WORK_COUNT = 12
/** People whose names are written, as an import would. */
const PERSON_COUNT = 40

export type CampaignUser = {
  kind: ActorKind
  user: TestUser
  /** Access token, renewed before it expires. */
  token: string
  refreshToken: string | undefined
}

/** Accounts, apps and entries that the writes concern. */
export type Cast = {
  app: TestApp
  users: CampaignUser[]
  works: number[]
  people: { id: number; name: string }[]
  /** Ids of reviews that voters vote on. */
  reviews: number[]
}

/** Creates the accounts, the app and the reviews, before the service starts. */
export const createCast = (stage: CampaignStage, scorers = COUNTS.scorer): Promise<Cast> =>
  withTestDatabase(stage.database, async (db) => {
    const works = (await sampleWorks(db)).galgame.slice(0, WORK_COUNT)
    const { rows: people } = await sql<{ id: number; name: string }>`
      select id, name from people order by id limit ${PERSON_COUNT}`.execute(db)
    const { app, secret = '' } = await createApp(db, {
      clientName: 'Campaign',
      scopes: [...ALL_SCOPES, 'catalog:sync'],
      redirectUris: [CALLBACK],
    })
    const counts = { ...COUNTS, scorer: scorers }
    const users: CampaignUser[] = []
    for (const [kind, count] of Object.entries(counts) as [ActorKind, number][])
      for (let index = 0; index < count; index += 1)
        users.push({ kind, user: await createUser({ db }), token: '', refreshToken: undefined })
    return {
      app: { clientId: app.client_id, secret },
      users,
      works,
      people,
      reviews: await createReviews(db, works),
    }
  })

async function createReviews(db: Database, works: number[]) {
  const author = await createUser({ db })
  const reviews: number[] = []
  for (const id of works) {
    const review = await writeRating(
      db,
      author.id,
      { id, kind: 'galgame' },
      { rate_content: 'A quiet ending.' },
    )
    reviews.push(review.id)
  }
  return reviews
}

/** Signs every user in. Repeated before the tokens expire. */
export async function signCastIn({ url }: CampaignStage, { app, users }: Cast) {
  for (const actor of users) {
    const { user, kind } = actor
    const tokens =
      kind === 'developer'
        ? await consoleTokens({ url, config: { baseUrl: url } }, user)
        : await obtainTokens(
            { url },
            {
              app,
              user,
              scope: 'openid offline_access status:write collection:write user:read',
              prompt: 'consent',
            },
          )
    Object.assign(actor, { token: tokens.access_token, refreshToken: tokens.refresh_token })
  }
}
