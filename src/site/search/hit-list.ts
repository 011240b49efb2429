import { html, type Html } from '../../ui/html.ts'
import type { PageContext } from '../../ui/page/page-context.ts'
import { SHAPE_OF } from '../components/card.ts'
import { isBlurred } from '../adult-works/visibility.ts'
import { entryPath } from '../components/entry-path.ts'
import { shownDeveloper, shownTitles, type ShownTitle } from '../components/titles.ts'
import { picture } from '../pictures/picture.ts'
import type { Hit } from './load-hits.ts'

/** Number of results that are visible when a page opens. Their pictures are loaded at once. */
const EAGER_PICTURES = 9

/** Renders search results, one per line, with a picture, the name and distinguishing facts. */
export function hitList(context: PageContext, hits: Hit[]): Html {
  const { adults, adultsMark } = context.messages.browse
  return html`<ul class="hits tiles">${hits.map((hit, index) => {
    const [main, other] = shownTitles(context, hit)
    const facts = [
      context.messages.kinds[hit.type],
      factOf(hit, context),
      shownDeveloper(context, hit),
    ]
    const isOther = other && html`<span class="quiet other"${langOf(other)}>${other.text}</span>`
    return html`<li><a href="${entryPath(hit.type, hit.id)}">${hitPicture(context, hit, main, index < EAGER_PICTURES)}<span><span class="name"${langOf(main)}>${main.text}</span>
${isOther}<span class="quiet facts-line">${facts.filter(Boolean).join(' · ')}${hit.nsfw && html` <span class="adult" title="${adults}">${adultsMark}</span>`}</span></span></a></li>`
  })}</ul>`
}

const langOf = ({ lang }: ShownTitle) => lang !== undefined && html` lang="${lang}"`

/**
 * Returns the distinguishing fact of a search hit: for a character, a work. Books show only the year, because the API
 * words their status in Chinese. Producer types are codes and need a label.
 */
function factOf({ type, subtitle, work }: Hit, context: PageContext): string | null | undefined {
  if (work) return shownTitles(context, work)[0].text
  if (subtitle === null) return null
  const types = new Map<string, string>(Object.entries(context.messages.entry.producerTypes))
  if (type === 'producer') return types.get(subtitle)
  if (type === 'light_novel' || type === 'manga') return /\d{4}$/.exec(subtitle)?.[0]
  return subtitle
}

const hitPicture = (context: PageContext, hit: Hit, { text, lang }: ShownTitle, eager: boolean) =>
  picture(context, {
    media: hit.cover,
    kind: hit.type,
    id: hit.id,
    title: text,
    lang,
    shape: SHAPE_OF[hit.type],
    sizes: '4rem',
    eager,
    graded: 'guest',
    blurred: isBlurred(context, hit),
    decorative: true,
  })
