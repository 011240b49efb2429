import { sql } from 'kysely'
import { KINDS, WORK_KINDS } from '../../src/catalog/kinds.ts'
import { putItem } from '../../src/collections/items/item-write-queries.ts'
import { createCollection } from '../../src/collections/queries.ts'
import { addEndpointUsage } from '../../src/apps/usage/endpoint-usage-queries.ts'
import { saveFavorites } from '../../src/profiles/favorite-queries.ts'
import { followProfile } from '../../src/profiles/follow-queries.ts'
import { saveProfileSettings } from '../../src/profiles/queries.ts'
import { STATUSES } from '../../src/ratings/fields.ts'
import { hasVolumes } from '../../src/ratings/progress/fields.ts'
import { changeProgress } from '../../src/ratings/progress/queries.ts'
import { saveVote } from '../../src/ratings/reviews/vote-queries.ts'
import { createUser, type TestUser } from './authorization.ts'
import { createAccounts, writeRating } from './ratings.ts'
import { first, sampleWorks } from './sample-works.ts'
import type { TestService } from './service.ts'

const REVIEW =
  'The first chapters take their time, and that is what the last ones live on.\n\nRead it with the music on; the illustrations alone are worth a second look.'

/** A user who has something on each page of the library, and the paths of those pages. */
export type FilledUser = TestUser & { paths: string[] }

/** Creates a user with a list, progress, a review, favorites, a collection, an app, followers and a public profile. */
export async function createFilledUser(service: TestService, name = 'Yuki'): Promise<FilledUser> {
  const { db } = service
  const user = await createUser(service, name)
  const works = await sampleWorks(db)
  const [followed = 0, follower = 0] = await createAccounts(db, 2)
  for (const id of [user.id, followed, follower])
    await saveProfileSettings(db, id, {
      is_shown: true,
      name: id === user.id ? `yuki-${id}` : null,
      may_be_found: false,
      shows_list: true,
      shows_statistics: true,
      shows_reviews: true,
      shows_collections: true,
    })
  await followProfile(db, user.id, followed)
  await followProfile(db, follower, user.id)

  const reviewed: number[] = []
  for (const kind of WORK_KINDS)
    for (const [index, id] of works[kind].slice(0, 12).entries()) {
      const rate = index % 3 === 2 ? null : 9.5 - index / 2
      const rate_content = index === 0 ? REVIEW : ''
      const status = STATUSES[index % STATUSES.length] ?? null
      const is_spoiler = kind === 'manga'
      const rating = await writeRating(db, user.id, { id, kind }, { status, rate, rate_content })
      if (index === 0) reviewed.push(rating.id)
      if (index < 3)
        await writeRating(db, followed, { id, kind }, { status, rate, rate_content, is_spoiler })
      await changeProgress(db, { accountId: user.id, kind, workId: id }, null, () => ({
        started_on: '2024-01-03',
        finished_on: `2024-${String(index + 1).padStart(2, '0')}-28`,
        minutes: 95 * (index + 1),
        ...(hasVolumes(kind) && { volumes_read: index + 1, chapters_read: index * 5 }),
        labels: index % 4 === 0 ? ['to lend', '積読の山'] : [],
        private_note: index === 0 ? 'Lent to a friend.' : '',
        rereads: index === 0 ? [{ started_on: '2025', finished_on: null }] : [],
      }))
    }
  for (const id of reviewed) await saveVote(db, followed, id, 'LIKE')
  await saveFavorites(
    db,
    user.id,
    WORK_KINDS.map((kind) => first(works[kind])),
  )
  const { id: key } = await createCollection(db, user.id, {
    name: '秋の夜長に読みたい、題名の長いもの',
    description: 'Long titles for long evenings.',
  })
  for (const id of works.light_novel.slice(0, 9))
    await putItem(db, { accountId: user.id, key }, { kind: 'light_novel', id }, undefined)
  const { clientId } = await service.createApp({ accountId: user.id, clientName: 'A bookshelf' })
  const usage = { client_id: clientId, endpoint: 'GET /api/v3/open/galgames/:id/staff' }
  await addEndpointUsage(db, [
    { ...usage, status_class: 2, requests: 1_234 },
    { ...usage, status_class: 4, requests: 10 },
  ])
  const [release] = (
    await sql<{ day: string }>`
      select publication_date::text as day from light_novel_volumes
      where publication_date is not null group by 1 order by count(*) desc, 1 limit 1`.execute(db)
  ).rows
  const day = release?.day ?? ''
  return {
    ...user,
    paths: [
      '/library',
      '/library?view=covers',
      '/library?view=table&sort=finished',
      '/library?view=rows&label=to+lend',
      `/library/${KINDS.light_novel.path}/${first(works.light_novel)}`,
      '/library/history',
      '/library/diary',
      '/library/diary?year=2024',
      '/library/statistics',
      '/library/statistics?year=2024',
      '/library/collections',
      `/library/collections/${key}`,
      '/library/profile',
      '/library/following',
      '/library/timeline',
      '/library/notifications',
      `/u/yuki-${user.id}`,
      `/u/yuki-${user.id}/list`,
      `/u/yuki-${user.id}/reviews`,
      `/collections/${key}`,
      '/users',
      '/collections',
      '/reviews',
      `/calendar?month=${day.slice(0, 7)}`,
      `/calendar?day=${day}`,
      `/console/apps/${clientId}/usage`,
    ],
  }
}
