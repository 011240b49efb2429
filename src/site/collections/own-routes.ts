import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { isRestored } from '../../accounts/form-drafts.ts'
import { parseWorkKind } from '../../catalog/work-types.ts'
import { missingEntryError } from '../../catalog/merged.ts'
import {
  deleteCollection,
  findDeletedCollection,
  hasRestorableItem,
  restoreCollection,
  restoreItem,
} from '../../collections/deletion-queries.ts'
import { findItemPage, requireItem } from '../../collections/items/item-queries.ts'
import { deleteItem, putItem } from '../../collections/items/item-write-queries.ts'
import { MAX_ITEMS } from '../../collections/schemas.ts'
import { moveItem } from '../../collections/items/move-item-queries.ts'
import { listCoverMosaics } from '../../collections/public-queries.ts'
import {
  createCollection,
  lockCollection,
  listCollections,
  requireCollection,
  updateCollection,
} from '../../collections/queries.ts'
import { freeTextRule } from '../../collections/text-rules.ts'
import { inTransaction } from '../../db/transaction.ts'
import { parseId } from '../../http/wire/requests/validation.ts'
import { fieldOf, queryParameterOf } from '../../ui/forms/form-field.ts'
import {
  changedFields,
  conflictNotice,
  FormConflict,
  loadedField,
  sentLoadedField,
} from '../../ui/forms/form-state.ts'
import { html } from '../../ui/html.ts'
import { redirectWithNotice, takeNotice } from '../../ui/page/notice.ts'
import { findWorkRef } from '../../ratings/own/lists/library-queries.ts'
import { requireSignIn } from '../require-sign-in.ts'
import { workTitles } from '../library/library-view.ts'
import { parseWorkPath, workPath } from '../library/change-notice.ts'
import type { WorkKey } from '../../collections/path-params.ts'
import { DRAFT_PAGE, PAGE, type PageRouteOptions } from '../options.ts'
import { readPageNumber } from '../read-page-number.ts'
import { sendCatalogPage } from '../send-catalog-page.ts'
import {
  collectionFormValues,
  readCollectionForm,
  refusalText,
  type CollectionForm,
} from './collection-form.ts'
import { confirmDeletionView, editView, workKeyOf, type EditPage } from './edit-view.ts'
import { menuRoutes } from './menu-routes.ts'
import { ownCollectionsView } from './own-view.ts'
import { restoreNotice } from './restore-notice.ts'

const PATH = '/library/collections'
const PAGE_SIZE = 50

type IdParams = { Params: { id: string } }
type Item = { Params: { id: string; works: string; work: string } }

/** Serves the pages where users create, edit, order, delete and restore their collections. */
export async function ownCollectionRoutes(app: FastifyInstance, options: PageRouteOptions) {
  const { db } = options
  const accountOf = requireSignIn(app, db, PATH)
  menuRoutes(app, { ...options, accountOf })

  app.get(PATH, PAGE, (request, reply) => showAll(request, reply, {}))

  app.post(PATH, DRAFT_PAGE, async (request, reply) => {
    const form = readCollectionForm(request)
    if (form.faults || isRestored(request)) return showAll(request, reply, form)
    try {
      const { id } = await createCollection(db, accountOf(request), form.change)
      return reply.redirect(`${PATH}/${id}`, 303)
    } catch (error) {
      return showAll(request, reply, {
        ...form,
        faults: { name: refusalText(error, request, 'tooMany') },
      })
    }
  })

  app.get<IdParams>(`${PATH}/:id`, PAGE, (request, reply) => showOne(request, reply, {}))

  app.post<IdParams>(`${PATH}/:id`, DRAFT_PAGE, async (request, reply) => {
    const form = readCollectionForm(request)
    if (form.faults || isRestored(request))
      return showOne(request, reply, { ...form, loaded: sentLoadedField(request) })
    const id = parseId(request.params.id)
    const accountId = accountOf(request)
    try {
      await inTransaction(db, async (trx) => {
        const stored = collectionFormValues(await lockCollection(trx, accountId, id))
        await updateCollection(trx, accountId, id, changedFields(request, form.change, stored))
      })
    } catch (error) {
      if (!(error instanceof FormConflict)) throw error
      return showOne(request, reply, {
        // as: the fields of the form
        written: error.shown as typeof form.written,
        loaded: loadedField(error.stored),
        notice: conflictNotice(request.page.messages, error, describeField(request)),
        status: 409,
      })
    }
    return redirectWithNotice(reply, `${PATH}/${id}`, 'collection_saved')
  })

  app.get<IdParams>(`${PATH}/:id/delete`, PAGE, async (request, reply) => {
    const collection = await requireCollection(db, accountOf(request), parseId(request.params.id))
    return sendCatalogPage(request, reply, confirmDeletionView(request.page, collection))
  })

  app.post<IdParams>(`${PATH}/:id/delete`, PAGE, async (request, reply) => {
    const id = parseId(request.params.id)
    await deleteCollection(db, accountOf(request), id)
    return reply.redirect(`${PATH}?deleted=${id}`, 303)
  })

  app.post<IdParams>(`${PATH}/:id/restore`, PAGE, async (request, reply) => {
    const id = parseId(request.params.id)
    await restoreCollection(db, accountOf(request), id)
    return redirectWithNotice(reply, `${PATH}/${id}`, 'collection_saved')
  })

  app.post<Item>(`${PATH}/:id/:works/:work`, DRAFT_PAGE, async (request, reply) => {
    const accountId = accountOf(request)
    const { collection, work } = keyOf(request, accountId)
    const { collectionPage: texts } = request.page.messages
    const page = fieldOf(request, 'page')
    const pathWith = (query: string, hash = '') =>
      `${PATH}/${collection.key}?${new URLSearchParams({ ...(/^\d{1,3}$/.test(page) && { page }) }).toString()}${query}${hash}`
    const action = fieldOf(request, 'act')
    // A restored draft is shown first and takes effect only when submitted again.
    if (action === 'remove') {
      if (isRestored(request)) return reply.redirect(pathWith(''), 303)
      await deleteItem(db, collection, work)
      return reply.redirect(pathWith(`&removed=${workPath(work)}`), 303)
    }
    if (action === 'note') {
      const typed = fieldOf(request, 'note').trim()
      const writtenNote = { key: workKeyOf(work), text: typed, loaded: sentLoadedField(request) }
      const read = freeTextRule(typed)
      if ('fault' in read)
        return showOne(request, reply, {
          notice: faultNotice(texts.faults.text),
          writtenNote,
          status: 422,
        })
      if (isRestored(request)) return showOne(request, reply, { writtenNote })
      try {
        await saveNote(request, collection, work, read.text)
      } catch (error) {
        if (!(error instanceof FormConflict)) throw error
        const notice = conflictNotice(request.page.messages, error, describeField(request))
        return showOne(request, reply, {
          notice,
          writtenNote: { ...writtenNote, loaded: loadedField(error.stored) },
          status: 409,
        })
      }
    } else {
      const text = (fieldOf(request, 'to') || fieldOf(request, 'position')).trim().normalize('NFKC')
      const position = Number(text)
      if (!/^\d{1,5}$/.test(text) || position < 1 || position > MAX_ITEMS)
        return showOne(request, reply, { notice: faultNotice(texts.faults.position), status: 422 })
      if (isRestored(request))
        return showOne(request, reply, { chosen: { key: workKeyOf(work), position } })
      await moveItem(db, collection, work, position)
    }
    return reply.redirect(pathWith('', `#${workKeyOf(work)}`), 303)
  })

  app.post<Item>(`${PATH}/:id/:works/:work/restore`, PAGE, async (request, reply) => {
    const { collection, work } = keyOf(request, accountOf(request))
    await restoreItem(db, collection, work)
    return reply.redirect(`${PATH}/${collection.key}#${work.kind}-${work.id}`, 303)
  })

  const keyOf = ({ params }: FastifyRequest<Item>, accountId: number) => ({
    collection: { accountId, key: parseId(params.id) },
    work: { kind: parseWorkKind(params.works), id: parseId(params.work) },
  })

  async function showAll(request: FastifyRequest, reply: FastifyReply, form: CollectionForm) {
    const accountId = accountOf(request)
    const deleted = Number(queryParameterOf(request, 'deleted'))
    const [{ collections }, name] = await Promise.all([
      listCollections(db, accountId, undefined),
      Number.isSafeInteger(deleted) ? findDeletedCollection(db, accountId, deleted) : undefined,
    ])
    const ids = collections.map(({ id }) => id)
    const mosaics = await listCoverMosaics(db, [accountId], ids, true)
    const { page: context } = request
    const notice =
      name === undefined
        ? undefined
        : restoreNotice(context, {
            text: context.messages.collectionPage.deleted({ name }),
            action: `${PATH}/${deleted}/restore`,
          })
    const view = ownCollectionsView(context, { collections, mosaics, notice, ...form })
    return sendCatalogPage(request, reply, view, { status: form.faults ? 422 : 200 })
  }

  /** @throws {FormConflict} */
  const saveNote = (
    request: FastifyRequest,
    collection: { accountId: number; key: number },
    work: WorkKey,
    note: string,
  ) =>
    inTransaction(db, async (trx) => {
      await lockCollection(trx, collection.accountId, collection.key)
      const stored = await requireItem(trx, collection, work)
      const { note: changed = stored.note } = changedFields(
        request,
        { note },
        { note: stored.note },
      )
      await putItem(trx, collection, work, changed)
    })

  async function showOne(
    request: FastifyRequest<IdParams>,
    reply: FastifyReply,
    {
      status,
      ...form
    }: CollectionForm & Pick<EditPage, 'notice' | 'writtenNote' | 'chosen'> & { status?: number },
  ) {
    const accountId = accountOf(request)
    const id = parseId(request.params.id)
    const page =
      request.method === 'GET'
        ? readPageNumber(request)
        : Number(/^\d{1,3}$/.exec(fieldOf(request, 'page'))?.[0]) || 1
    const collection = await requireCollection(db, accountId, id)
    const query = { sort: 'position', page, page_size: PAGE_SIZE } as const
    const found = await findItemPage(db, { accountId, key: id }, query, true)
    const view = editView(request.page, {
      collection,
      items: found?.items ?? [],
      start: (page - 1) * PAGE_SIZE,
      page,
      last: found?.meta.total_pages ?? 0,
      isSaved: takeNotice(request, reply, ['collection_saved']) !== undefined,
      removed: await removedNotice(request, accountId, id),
      ...form,
    })
    return sendCatalogPage(request, reply, view, { status: status ?? (form.faults ? 422 : 200) })
  }

  /** Renders a confirmation of the removal that the URL names, with a button to undo it. */
  async function removedNotice(request: FastifyRequest, accountId: number, id: number) {
    const work = parseWorkPath(queryParameterOf(request, 'removed'))
    if (!work || !(await hasRestorableItem(db, accountId, id, work.id))) return undefined
    const { page: context } = request
    return restoreNotice(context, {
      text: context.messages.collectionPage.removed({ title: await titleOf(request, work) }),
      action: `${PATH}/${id}/${workPath(work)}/restore`,
    })
  }

  async function titleOf(
    { page: context }: FastifyRequest,
    { kind, id }: WorkKey,
  ): Promise<string> {
    const work = await findWorkRef(db, kind, id)
    if (!work) throw await missingEntryError(db, kind, id, true)
    return workTitles(context, work)[0]?.text ?? work.name
  }
}

const faultNotice = (text: string) =>
  html`<div class="notice error" role="alert"><p>${text}</p></div>`

/** Returns the label and value of a field for a conflict notice. */
const describeField =
  ({ page }: FastifyRequest) =>
  (name: string, value: unknown) => {
    const { collectionPage: texts, library } = page.messages
    const labels: Record<string, string> = {
      name: texts.name,
      description: texts.about,
      is_private: texts.private,
      note: texts.note,
    }
    const text = typeof value === 'boolean' ? (value ? library.yes : library.no) : String(value)
    return { label: labels[name] ?? name, value: text }
  }
