import type { FastifyInstance, FastifyRequest } from 'fastify'
import { listSummaries } from '../../browse/summary-queries.ts'
import { findAccount } from '../../accounts/queries.ts'
import { findItemPage } from '../../collections/items/item-queries.ts'
import { findPublicCollection, listCoverMosaics } from '../../collections/public-queries.ts'
import { findCollection } from '../../collections/queries.ts'
import { ITEM_SORTS } from '../../collections/schemas.ts'
import { notFound } from '../../http/wire/errors/refusals.ts'
import { parseId } from '../../http/wire/requests/validation.ts'
import { queryParameterOf } from '../../ui/forms/form-field.ts'
import { findProfilePaths } from '../../profiles/queries.ts'
import { loadMarks } from '../library/rating/load-marks.ts'
import { PAGE, type PageRouteOptions } from '../options.ts'
import { readPageNumber } from '../read-page-number.ts'
import { sendCatalogPage } from '../send-catalog-page.ts'
import { sendWorksFeed, WORKS_FEED } from '../works-feed.ts'
import { collectionPath } from './mosaic.ts'
import { collectionView, type CollectionHead } from './collection-view.ts'
import { collectionName } from './collection-name.ts'

const PAGE_SIZE = 48
const FEED_LENGTH = 50

/** Serves `/collections/42`: a public collection, or one of the viewer's own. Others return 404. */
export async function collectionPageRoutes(app: FastifyInstance, { db }: PageRouteOptions) {
  app.get<{ Params: { id: string } }>('/collections/:id', PAGE, async (request, reply) => {
    const id = parseId(request.params.id)
    const page = readPageNumber(request)
    const sort = ITEM_SORTS.find((item) => item === queryParameterOf(request, 'sort')) ?? 'position'
    const { head, accountId, seesNsfw } = await load(request, id)
    const [found, mosaics, ownerPaths] = await Promise.all([
      findItemPage(db, { accountId, key: id }, { sort, page, page_size: PAGE_SIZE }, seesNsfw),
      listCoverMosaics(db, [accountId], [id], seesNsfw),
      findProfilePaths(db, [accountId]),
    ])
    if (!found) throw notFound()
    await loadMarks(db, request, found.items)
    const view = collectionView(request.page, {
      ...head,
      items: found.items,
      mosaic: mosaics.get(id) ?? [],
      ownerPath: ownerPaths.get(accountId),
      sort,
      page,
      last: found.meta.total_pages,
      start: (page - 1) * PAGE_SIZE,
    })
    return sendCatalogPage(request, reply, view, { isCacheable: false })
  })

  app.get<{ Params: { id: string } }>(
    `/collections/:id${WORKS_FEED}`,
    PAGE,
    async (request, reply) => {
      const id = parseId(request.params.id)
      const { head, accountId, seesNsfw } = await load(request, id)
      const query = { sort: 'added', page: 1, page_size: FEED_LENGTH } as const
      const items = (await findItemPage(db, { accountId, key: id }, query, seesNsfw))?.items ?? []
      const keys = items.map(({ type: kind, work_id: work }) => ({ kind, id: work }))
      const summaries = await listSummaries(db, keys, seesNsfw)
      return sendWorksFeed(request, reply, {
        title: head.name,
        path: collectionPath(id) + WORKS_FEED,
        page: collectionPath(id),
        author: head.owner,
        works: items.flatMap(({ type, work_id: workId, updated_at: updated, note }) => {
          const work = summaries.find((entry) => entry.type === type && entry.id === workId)
          return work ? [{ work, updated: new Date(updated), note }] : []
        }),
        isCacheable: false,
      })
    },
  )

  /**
   * Loads a collection. The owner sees all of its works; other viewers see those they have access to.
   */
  async function load({ page: { viewer, messages } }: FastifyRequest, id: number) {
    const own = viewer && (await findCollection(db, viewer.accountId, id))
    if (viewer && own) {
      const { is_private: isPrivate, item_count: amount, updated_at: changed } = own
      const head: CollectionHead = {
        id,
        name: collectionName(messages, own),
        isPrivate,
        amount,
        changed,
        isOwn: true,
        hidden: 0,
        description: own.description ?? '',
        owner: (await findAccount(db, viewer.accountId))?.nickname ?? viewer.name,
      }
      return { head, accountId: viewer.accountId, seesNsfw: true, isPublic: false }
    }
    const seesNsfw = viewer?.nsfw ?? false
    const [found, whole] = await Promise.all(
      [seesNsfw, true].map((sees) => findPublicCollection(db, id, sees)),
    )
    if (!found) throw notFound()
    const { description, item_count: amount, updated_at: changed, owner } = found
    const head: CollectionHead = {
      id,
      name: collectionName(messages, found),
      description,
      amount,
      changed,
      isPrivate: false,
      isOwn: false,
      hidden: Math.max(0, (whole?.item_count ?? amount) - amount),
      owner: owner.name,
    }
    return { head, accountId: owner.id, seesNsfw, isPublic: true }
  }
}
