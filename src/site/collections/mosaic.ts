import type { MosaicWork } from '../../collections/public-queries.ts'
import { html, type Html } from '../../ui/html.ts'
import type { PageContext } from '../../ui/page/page-context.ts'
import { shownTitlesOf } from '../library/library-view.ts'
import { picture } from '../pictures/picture.ts'
import { shownName } from './shown-name.ts'

/** The covers of the first works of a collection, beside each other; nothing but its ground when it is empty. */
export function mosaic(context: PageContext, works: readonly MosaicWork[], sizes = '8rem'): Html {
  return html`<span class="mosaic of-${works.length}" aria-hidden="true">${works.map(
    ({ kind, work_id: id, work }) => {
      const [main] = shownTitlesOf(context, work)
      return picture(context, {
        media: work?.image,
        kind,
        id,
        title: main?.text ?? '',
        lang: main?.lang,
        shape: 'cover',
        sizes,
        graded: 'guest',
        decorative: true,
      })
    },
  )}</span>`
}

export type ShownCollection = {
  id: number
  name: string
  description?: string | null
  item_count: number
  is_private?: boolean
  is_default: boolean
}

/** Collections by their covers. */
export function collectionCards(
  context: PageContext,
  collections: readonly ShownCollection[],
  mosaics: ReadonlyMap<number, MosaicWork[]>,
  addressOf: (id: number) => string = collectionAddress,
): Html {
  const { collectionPage: words } = context.messages
  return html`<ul class="collection-cards tiles">${collections.map(
    ({ id, description, item_count: amount, is_private: isPrivate = false, ...named }) =>
      html`<li><a href="${addressOf(id)}">${mosaic(context, mosaics.get(id) ?? [])}<span class="entry-title">${shownName(context.messages, named)}</span></a>
<p class="entry-facts">${words.works({ amount })}${isPrivate && html` <span class="tag">${words.isPrivate}</span>`}</p>
${description !== null && description !== undefined && description !== '' && html`<p class="quiet card-text">${description}</p>`}</li>`,
  )}</ul>`
}

/** Where everybody sees a collection. */
export const collectionAddress = (id: number) => `/collections/${id}`
