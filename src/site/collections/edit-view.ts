import { KINDS } from '../../catalog/kinds.ts'
import { MAX_ITEMS } from '../../collections/schemas.ts'
import type { CollectionRow } from '../../collections/queries.ts'
import type { CollectionItem } from '../../collections/schemas.ts'
import { loadedField } from '../../ui/forms/form-state.ts'
import { hiddenFields } from '../../ui/forms/forms.ts'
import { html, type Html } from '../../ui/html.ts'
import type { WorkKey } from '../../collections/path-params.ts'
import type { PageContext } from '../../ui/page/page-context.ts'
import type { View } from '../../ui/page/page.ts'
import { entryPath } from '../components/entry-path.ts'
import { pager } from '../components/pager.ts'
import { workTitles } from '../library/library-view.ts'
import { picture } from '../pictures/picture.ts'
import { collectionFields, collectionFormValues, type CollectionForm } from './collection-form.ts'
import { collectionPath } from './mosaic.ts'
import { collectionName } from './collection-name.ts'

export type EditPage = CollectionForm & {
  collection: CollectionRow
  items: CollectionItem[]
  /** Number of works on earlier pages. */
  start: number
  page: number
  last: number
  isSaved: boolean
  removed: Html | undefined
  /** Validation errors, or the notice of a conflicting change. */
  notice?: Html
  /** A note that was not saved, shown instead of the stored one. */
  writtenNote?: WrittenNote | undefined
  /** Position that was chosen before a sign-in, until the user saves it. */
  chosen?: { key: string; position: number }
}

/** `loaded` records what its form showed when it was loaded. */
type WrittenNote = { key: string; text: string; loaded: Html }

/** Returns the key of a work in a collection's form, which is also its URL fragment. */
export const workKeyOf = ({ kind, id }: WorkKey) => `${kind}-${id}`

const pathOf = (id: number) => `/library/collections/${id}`

/** Renders the form for a collection's name, order and notes. */
export function editView(context: PageContext, data: EditPage): View {
  const { messages, csrfField } = context
  const { collectionPage: texts } = messages
  const { collection, items, page, last, isSaved, removed, notice, faults } = data
  const { id } = collection
  const name = collectionName(messages, collection)
  const path = pathOf(id)
  const stored = collectionFormValues(collection)
  return {
    title: name,
    styles: ['collections.css'],
    scripts: ['/assets/collections.js'],
    head: { robots: 'noindex' },
    body: html`<div class="list-head cluster"><h1>${name}</h1></div>
<p class="ways"><a href="/library/collections">${texts.back}</a><a href="${collectionPath(id)}">${texts.toPage}</a></p>
${isSaved && html`<div class="notice success" role="status"><p>${texts.saved}</p></div>`}
${removed}
${notice}
<div class="collection-edit"><div>
${
  items.length === 0
    ? html`<div class="empty"><p>${texts.empty}</p><p class="quiet">${texts.emptyHint}</p></div>`
    : html`<p class="unseen" role="status" data-moved="${texts.movedTo}"></p><ol class="order-list panel rows" start="${data.start + 1}" data-order="${collection.item_count}">${items.map((item, index) => line(context, data, item, index))}</ol>`
}
${pager(context, { page, last, pathOf: (number) => (number === 1 ? path : `${path}?page=${number}`) })}
</div>
<form method="post" action="${path}" class="record-form card">${csrfField()}${data.loaded ?? loadedField(stored)}${collectionFields(context, data.written ?? stored, faults)}
<div class="actions"><button>${texts.save}</button>${!collection.is_default && html` <a class="danger-link tap" href="${path}/delete">${texts.delete}</a>`}</div></form></div>`,
  }
}

function line(
  context: PageContext,
  { collection, start, page, writtenNote, chosen }: EditPage,
  item: CollectionItem,
  index: number,
): Html {
  const { type: kind, work_id: id, work, note } = item
  const { messages, csrfField } = context
  const { collectionPage: texts } = messages
  const [main] = workTitles(context, work)
  const title = main?.text ?? `${messages.kinds[kind]} ${id}`
  const key = workKeyOf({ kind, id })
  const ownNote =
    writtenNote?.key === key ? writtenNote : { text: note, loaded: loadedField({ note }) }
  const position = start + index + 1
  const isChosen = chosen?.key === key
  const fields = html`${csrfField()}${hiddenFields({ page: String(page) })}`
  const action = `${pathOf(collection.id)}/${KINDS[kind].path}/${id}`
  // Without access to the work, its page and picture are not shown.
  const isSeen = item[kind]?.nsfw !== true || (context.viewer?.nsfw ?? false)
  const named = html`<span${main?.lang !== undefined && html` lang="${main.lang}"`}>${title}</span>`
  const cover = picture(context, {
    media: isSeen ? work.image : null,
    kind,
    id,
    title,
    lang: main?.lang,
    shape: 'cover',
    sizes: '3.5rem',
    graded: 'guest',
    decorative: true,
  })
  return html`<li id="${key}" class="order-line">
<button type="button" class="drag" aria-label="${texts.drag({ title })}" hidden><span aria-hidden="true">⠿</span></button>
${isSeen ? html`<a class="own-cover" href="${entryPath(kind, id)}" tabindex="-1" aria-hidden="true">${cover}</a>` : html`<span class="own-cover">${cover}</span>`}
<div class="own-title">${isSeen ? html`<a href="${entryPath(kind, id)}">${named}</a>` : named}
<details class="note"${ownNote.text !== '' && html` open`}><summary>${texts.note}</summary><form class="cluster" method="post" action="${action}">${fields}${ownNote.loaded}<label class="unseen" for="note-${key}">${texts.noteOf({ title })}</label><textarea id="note-${key}" name="note" rows="2" maxlength="4000">
${ownNote.text}</textarea><button class="secondary" name="act" value="note" aria-label="${texts.saveNote}: ${title}">${texts.saveNote}</button></form></details></div>
<form class="move cluster" method="post" action="${action}" data-move>${fields}
<label class="unseen" for="place-${key}">${texts.positionOf({ title })}</label><input id="place-${key}" name="position" value="${isChosen ? chosen.position : position}"${isChosen && html` autofocus`} inputmode="numeric" size="3" maxlength="5" autocomplete="off"><button class="secondary" aria-label="${texts.moveOf({ title })}">${texts.move}</button>
<button class="plain" name="to" value="${Math.max(1, position - 1)}" aria-label="${texts.up({ title })}"${position === 1 && html` disabled`}>↑</button><button class="plain" name="to" value="${Math.min(MAX_ITEMS, position + 1)}" aria-label="${texts.down({ title })}"${position === collection.item_count && html` disabled`}>↓</button></form>
<form class="take-out cluster" method="post" action="${action}">${fields}<button class="plain danger" name="act" value="remove" aria-label="${texts.removeOf({ title })}">${texts.remove}</button></form>
</li>`
}

/** Renders the confirmation page before a deletion. */
export function confirmDeletionView(
  { messages, csrfField }: PageContext,
  { id, name, item_count: amount }: CollectionRow,
): View {
  const { collectionPage: texts } = messages
  const title = texts.deleteTitle({ name })
  return {
    title,
    styles: ['collections.css'],
    head: { robots: 'noindex' },
    body: html`<div class="record"><h1>${title}</h1><p>${texts.deleteLead({ amount })}</p>
<form method="post" action="${pathOf(id)}/delete" class="actions side-by-side">${csrfField()}<button class="danger">${texts.delete}</button> <a class="button secondary" href="${pathOf(id)}">${texts.keep}</a></form></div>`,
  }
}
