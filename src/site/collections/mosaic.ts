import type { MosaicWork } from '../../collections/public-queries.ts'
import { html, type Html } from '../../ui/html.ts'
import type { PageContext } from '../../ui/page/page-context.ts'
import { workTitles } from '../library/library-view.ts'
import { picture } from '../pictures/picture.ts'
import { userLink } from '../entry/reviews/reviews-view.ts'
import { collectionName } from './collection-name.ts'

/** Renders the covers of a collection's first works side by side. */
export function mosaic(context: PageContext, works: readonly MosaicWork[], sizes = '8rem'): Html {
  return html`<span class="mosaic of-${works.length}" aria-hidden="true">${works.map(
    ({ kind, work_id: id, work }) => {
      const [main] = workTitles(context, work)
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
  owner?: { id: number; name: string }
}

/**
 * Renders collections as cards with their covers.
 *
 * @param showsOwners whether the cards name the owners, for collections of several users
 */
export function collectionCards(
  context: PageContext,
  collections: readonly ShownCollection[],
  mosaics: ReadonlyMap<number, MosaicWork[]>,
  pathOf: (id: number) => string = collectionPath,
  showsOwners = false,
): Html {
  const { collectionPage: texts } = context.messages
  return html`<ul class="collection-cards tiles">${collections.map(
    ({ id, description, item_count: amount, is_private: isPrivate = false, owner, ...named }) =>
      html`<li><a href="${pathOf(id)}">${mosaic(context, mosaics.get(id) ?? [])}<span class="entry-title">${collectionName(context.messages, named)}</span></a>
<p class="entry-facts">${showsOwners && owner && html`${texts.by} ${userLink(context, owner)} · `}${texts.works({ amount })}${isPrivate && html` <span class="tag">${texts.isPrivate}</span>`}</p>
${description !== null && description !== undefined && description !== '' && html`<p class="quiet card-text">${description}</p>`}</li>`,
  )}</ul>`
}

/** Returns a collection's public path. */
export const collectionPath = (id: number) => `/collections/${id}`
