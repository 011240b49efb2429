import type { MosaicWork } from '../../collections/public-queries.ts'
import type { CollectionRow } from '../../collections/queries.ts'
import { html, type Html } from '../../ui/html.ts'
import type { PageContext } from '../../ui/page/page-context.ts'
import type { View } from '../../ui/page/page.ts'
import { collectionFields, type CollectionForm } from './collection-form.ts'
import { collectionCards } from './mosaic.ts'

export type OwnCollectionsPage = CollectionForm & {
  collections: CollectionRow[]
  mosaics: ReadonlyMap<number, MosaicWork[]>
  notice: Html | undefined
}

const NEW = { name: '', description: '', is_private: false }

/** Renders all collections of a user, and a form to create one. */
export function ownCollectionsView(
  context: PageContext,
  { collections, mosaics, notice, written, faults }: OwnCollectionsPage,
): View {
  const { messages, csrfField } = context
  const { collectionPage: texts, library } = messages
  const isOpen = written !== undefined
  return {
    title: texts.title,
    styles: ['collections.css'],
    head: { robots: 'noindex' },
    body: html`<div class="list-head cluster"><h1>${texts.title}</h1></div>
<p class="ways"><a href="/library">${library.back}</a></p>
${notice}
<p class="lead">${texts.lead}</p>
${collectionCards(context, collections, mosaics, (id) => `/library/collections/${id}`)}
<details class="new-collection divided"${isOpen && html` open`}><summary>${texts.create}</summary>
<form method="post" action="/library/collections" class="record-form">${csrfField()}${collectionFields(context, written ?? NEW, faults)}
<div class="actions"><button>${texts.create}</button></div></form></details>`,
  }
}
