import { html, type Html } from '../../pages/html.ts'
import type { PageContext } from '../../pages/page-context.ts'
import { SHAPE_OF } from '../components/card.ts'
import { entryAddress } from '../components/entry-address.ts'
import { titleLanguage } from '../components/title-language.ts'
import { picture } from '../pictures/picture.ts'
import type { Hit } from './hits.ts'

/** Hits line by line: picture, name, and what tells them apart. */
export function hitList(context: PageContext, hits: Hit[]): Html {
  return html`<ul class="hits">${hits.map((hit, index) => {
    const lang = titleLanguage(hit.title, true)
    const facts = [context.messages.kinds[hit.kind], factOf(hit, context), hit.developer]
      .filter(Boolean)
      .join(' · ')
    return html`<li><a href="${entryAddress(hit.kind, hit.id)}">${hitPicture(hit, index < 8)}<span><span class="name"${lang !== undefined && html` lang="${lang}"`}>${hit.title}</span>
<span class="quiet">${facts}</span></span></a></li>`
  })}</ul>`
}

/** Of books the year alone: their status is in Chinese, as programs get it. Producers' types are codes. */
function factOf({ kind, subtitle }: Hit, { messages }: PageContext): string | null | undefined {
  if (subtitle === null) return null
  if (kind === 'producer') return new Map(Object.entries(messages.searchPage.producerTypes)).get(subtitle)
  if (kind === 'light_novel' || kind === 'manga') return /\d{4}$/.exec(subtitle)?.[0]
  return subtitle
}

const hitPicture = ({ kind, id, title, cover }: Hit, eager: boolean) =>
  picture({
    media: cover,
    kind,
    id,
    title,
    lang: titleLanguage(title, true),
    shape: SHAPE_OF[kind],
    sizes: '4rem',
    eager,
    graded: 'guest',
    decorative: true,
  })
