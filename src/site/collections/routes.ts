import type { FastifyInstance, FastifyRequest } from 'fastify'
import { findAccount } from '../../accounts/queries.ts'
import { ownCollection, publicCollectionById } from '../../collections/items/item-sql-fragments.ts'
import { findItemPage } from '../../collections/items/item-queries.ts'
import { findPublicCollection, listCoverMosaics } from '../../collections/public-queries.ts'
import { findCollection } from '../../collections/queries.ts'
import { ITEM_SORTS } from '../../collections/schemas.ts'
import { notFound } from '../../http/wire/errors/refusals.ts'
import { parseId } from '../../http/wire/requests/validation.ts'
import { parameterOf } from '../../ui/forms/form-field.ts'
import { findProfilePaths } from '../../profiles/queries.ts'
import { showMarks } from '../library/record/show-marks.ts'
import { PAGE, type WebOptions } from '../options.ts'
import { readPageNumber } from '../read-page-number.ts'
import { sendCatalogPage } from '../send-catalog-page.ts'
import { collectionView, type CollectionHead } from './collection-view.ts'
import { shownName } from './shown-name.ts'

const PAGE_SIZE = 48

/** `/collections/42`: one that everybody may see, or the reader's own; every other is not there. */
export async function collectionPageRoutes(app: FastifyInstance, { db }: WebOptions) {
  app.get<{ Params: { id: string } }>('/collections/:id', PAGE, async (request, reply) => {
    const id = parseId(request.params.id)
    const page = readPageNumber(request)
    const sort = ITEM_SORTS.find((one) => one === parameterOf(request, 'sort')) ?? 'position'
    const { head, accountId, seesNsfw, isPublic } = await load(request, id)
    const which = isPublic ? publicCollectionById(id) : ownCollection(accountId, id)
    const [found, mosaics, addresses] = await Promise.all([
      findItemPage(db, which, { sort, page, page_size: PAGE_SIZE }, seesNsfw),
      listCoverMosaics(db, accountId, [id], seesNsfw),
      findProfilePaths(db, [accountId]),
    ])
    if (!found) throw notFound()
    await showMarks(db, request, found.items)
    const view = collectionView(request.page, {
      ...head,
      items: found.items,
      mosaic: mosaics.get(id) ?? [],
      ownerAddress: addresses.get(accountId),
      sort,
      page,
      last: found.meta.total_pages,
      start: (page - 1) * PAGE_SIZE,
    })
    return sendCatalogPage(request, reply, view, { isKept: false })
  })

  /** A public one as everybody sees it; the reader's own with all that is in it. */
  async function load({ page: { reader, messages } }: FastifyRequest, id: number) {
    const own = reader && (await findCollection(db, reader.accountId, id))
    if (reader && own) {
      const { is_private: isPrivate, item_count: amount, updated_at: changed } = own
      const head: CollectionHead = {
        id,
        name: shownName(messages, own),
        isPrivate,
        amount,
        changed,
        isOwn: true,
        description: own.description ?? '',
        owner: (await findAccount(db, reader.accountId))?.nickname ?? reader.name,
      }
      return { head, accountId: reader.accountId, seesNsfw: true, isPublic: false }
    }
    const seesNsfw = reader?.nsfw ?? false
    const found = await findPublicCollection(db, id, seesNsfw)
    if (!found) throw notFound()
    const { description, item_count: amount, updated_at: changed, owner } = found
    const head: CollectionHead = {
      id,
      name: shownName(messages, found),
      description,
      amount,
      changed,
      isPrivate: false,
      isOwn: false,
      owner: owner.name,
    }
    return { head, accountId: owner.id, seesNsfw, isPublic: true }
  }
}
