import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { isRestored } from '../../accounts/form-drafts.ts'
import { parseWorkKind } from '../../catalog/work-types.ts'
import { missingEntryError } from '../../catalog/merged.ts'
import { listCollectionsContaining } from '../../collections/items/item-queries.ts'
import { deleteItem, putItem } from '../../collections/items/item-write-queries.ts'
import { createCollection, listCollections } from '../../collections/queries.ts'
import { nameRule } from '../../collections/text-rules.ts'
import { noSuchCollection } from '../../http/wire/errors/feature-refusals.ts'
import { isId, parseId } from '../../http/wire/requests/validation.ts'
import { fieldOf, queryParameterOf } from '../../ui/forms/form-field.ts'
import { changedFields, FormConflict, sentLoadedField } from '../../ui/forms/form-state.ts'
import { html } from '../../ui/html.ts'
import { localPath } from '../../ui/local-path.ts'
import { PAGE_HEADERS } from '../../ui/page/page.ts'
import { findWorkRef } from '../../ratings/own/lists/library-queries.ts'
import { entryPath } from '../components/entry-path.ts'
import { workTitles } from '../library/library-view.ts'
import { DRAFT_PAGE, PAGE, type PageRouteOptions } from '../options.ts'
import { sendCatalogPage } from '../send-catalog-page.ts'
import { refusalText } from './collection-form.ts'
import { collectionMenu } from './menu.ts'

type MenuOptions = PageRouteOptions & { accountOf: (request: FastifyRequest) => number }
type OfWork = { Params: { works: string; work: string } }

/**
 * Serves the form that selects a work's collections. With `?part=1` it returns only the form, for the script of an
 * open card.
 */
export function menuRoutes(app: FastifyInstance, { db, accountOf }: MenuOptions): void {
  const path = '/library/collections/of/:works/:work'
  const workOf = ({ params }: FastifyRequest<OfWork>) => ({
    kind: parseWorkKind(params.works),
    id: parseId(params.work),
  })

  app.get<OfWork>(path, PAGE, (request, reply) => show(request, reply))

  app.post<OfWork>(path, DRAFT_PAGE, async (request, reply) => {
    if (isRestored(request)) return show(request, reply)
    const accountId = accountOf(request)
    const work = workOf(request)
    const name = fieldOf(request, 'new')
    const read = name.trim() === '' ? undefined : nameRule(name)
    if (read && 'fault' in read)
      return show(request, reply, request.page.messages.collectionPage.faults.name)
    const checked = new Set(idsIn(request, 'in'))
    try {
      const [{ collections }, containing] = await Promise.all([
        listCollections(db, accountId, undefined),
        listCollectionsContaining(db, accountId, work),
      ])
      // Only collections that the form showed are changed: others may have been created since.
      const known = new Set(idsIn(request, 'known'))
      const shown = collections.filter(({ id }) => known.has(id))
      if ([...checked].some((id) => !collections.some((item) => item.id === id)))
        throw noSuchCollection()
      const holds = new Set(containing.map(({ id }) => id))
      const stored = Object.fromEntries(shown.map(({ id }) => [id, holds.has(id)]))
      const sent = Object.fromEntries(shown.map(({ id }) => [id, checked.has(id)]))
      for (const [id, isTicked] of Object.entries(changedFields(request, sent, stored))) {
        const collection = { accountId, key: Number(id) }
        if (isTicked === stored[id]) continue
        await (isTicked
          ? putItem(db, collection, work, undefined)
          : deleteItem(db, collection, work))
      }
      if (read) {
        const { id: key } = await createCollection(db, accountId, { name: read.text })
        await putItem(db, { accountId, key }, work, undefined)
      }
    } catch (error) {
      const { conflict } = request.page.messages.forms
      if (error instanceof FormConflict) return show(request, reply, conflict)
      return show(request, reply, refusalText(error, request, read ? 'tooMany' : 'full'))
    }
    const back = localPath(fieldOf(request, 'back') || entryPath(work.kind, work.id), [])
    return reply.redirect(back, 303)
  })

  async function show(request: FastifyRequest<OfWork>, reply: FastifyReply, fault?: string) {
    const { page: context } = request
    const accountId = accountOf(request)
    const work = workOf(request)
    const [ref, { collections }, containing] = await Promise.all([
      findWorkRef(db, work.kind, work.id),
      listCollections(db, accountId, undefined),
      listCollectionsContaining(db, accountId, work),
    ])
    if (!ref) throw await missingEntryError(db, work.kind, work.id, true)
    const { collectionPage: texts } = context.messages
    const title = workTitles(context, ref)[0]?.text ?? ref.name
    const requested = fieldOf(request, 'back') || queryParameterOf(request, 'back')
    const back = localPath(requested || entryPath(work.kind, work.id), [])
    const entered = isRestored(request) && {
      containing: idsIn(request, 'in').map((id) => ({ id })),
      loaded: sentLoadedField(request),
      newName: fieldOf(request, 'new'),
    }
    const menu = collectionMenu(context, { work, collections, containing, back, ...entered })
    if (request.method === 'GET' && queryParameterOf(request, 'part') !== '')
      return reply.headers({ ...PAGE_HEADERS, 'x-request-id': request.id }).send(menu.toString())
    const view = {
      title: texts.menuOf({ title }),
      styles: ['collections.css'],
      head: { robots: 'noindex' as const },
      body: html`<div class="record"><h1>${texts.menuOf({ title })}</h1>
<p class="ways"><a href="${entryPath(work.kind, work.id)}">${texts.toWork}</a><a href="/library/collections">${texts.back}</a></p>
${fault !== undefined && html`<div class="notice error" role="alert"><p>${fault}</p></div>`}
${menu}</div>`,
    }
    return sendCatalogPage(request, reply, view, { status: fault === undefined ? 200 : 422 })
  }
}

function idsIn({ body }: FastifyRequest, name: string): number[] {
  if (typeof body !== 'object' || body === null || !Object.hasOwn(body, name)) return []
  // as: the previous check found this property
  const value = (body as Record<string, unknown>)[name]
  return [value]
    .flat()
    .flatMap((text) => (typeof text === 'string' && isId(text) ? [Number(text)] : []))
}
