import { html, type Html } from '../../ui/html.ts'
import type { PageContext } from '../../ui/page/page-context.ts'
import { SHAPE_OF } from '../components/card.ts'
import { entryAddress } from '../components/entry-address.ts'
import { shownTitles, type ShownTitle } from '../components/titles.ts'
import { picture } from '../pictures/picture.ts'
import type { Hit } from './show-found.ts'

/** Lines in view when a page opens; their pictures are loaded at once. */
const IN_VIEW = 9

/** Hits line by line: picture, name, and what tells them apart. */
export function hitList(context: PageContext, hits: Hit[]): Html {
  return html`<ul class="hits tiles">${hits.map((hit, index) => {
    const [main, other] = shownTitles(context.language, hit)
    const facts = [context.messages.kinds[hit.type], factOf(hit, context), hit.developer]
    const isOther = other && html`<span class="quiet other"${langOf(other)}>${other.text}</span>`
    return html`<li><a href="${entryAddress(hit.type, hit.id)}">${hitPicture(context, hit, main, index < IN_VIEW)}<span><span class="name"${langOf(main)}>${main.text}</span>
${isOther}<span class="quiet facts-line">${facts.filter(Boolean).join(' · ')}</span></span></a></li>`
  })}</ul>`
}

const langOf = ({ lang }: ShownTitle) => lang !== undefined && html` lang="${lang}"`

/** Of books the year alone: their status is in Chinese, as programs get it. Producers' types are codes. */
function factOf({ type, subtitle }: Hit, { messages }: PageContext): string | null | undefined {
  if (subtitle === null) return null
  const types = new Map<string, string>(Object.entries(messages.entry.producerTypes))
  if (type === 'producer') return types.get(subtitle)
  if (type === 'light_novel' || type === 'manga') return /\d{4}$/.exec(subtitle)?.[0]
  return subtitle
}

const hitPicture = (
  context: PageContext,
  { type, id, cover }: Hit,
  { text, lang }: ShownTitle,
  eager: boolean,
) =>
  picture(context, {
    media: cover,
    kind: type,
    id,
    title: text,
    lang,
    shape: SHAPE_OF[type],
    sizes: '4rem',
    eager,
    graded: 'guest',
    decorative: true,
  })
