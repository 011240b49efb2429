import type { EntrySummary } from '../../browse/summary.ts'
import { isWorkKind, KINDS, type WorkKind } from '../../catalog/kinds.ts'
import { html, type Html, type Part } from '../../ui/html.ts'
import type { PageContext } from '../../ui/page/page-context.ts'
import { picture, type PictureShape } from '../pictures/picture.ts'
import { isBlurred } from '../adult-works/visibility.ts'
import { entryPath } from './entry-path.ts'
import { shownDeveloper, shownTitles } from './titles.ts'

/** Shape of each kind's picture. */
export const SHAPE_OF: Record<EntrySummary['type'], PictureShape> = {
  galgame: 'cover',
  light_novel: 'cover',
  manga: 'cover',
  person: 'portrait',
  producer: 'logo',
  character: 'portrait',
}

/** Width of a card in the grid, by which browsers choose a picture size. */
const SIZES = '(min-width: 48rem) 12rem, (min-width: 30rem) 30vw, 45vw'

/** Further facts below the title, keyed by the id of the entry. */
export type EntryNotes = ReadonlyMap<number, Part>

export type CardOptions = {
  /** Whether the card is visible when the page opens. */
  eager?: boolean
  /** Whether to show the kind of the entry, for grids that mix kinds. */
  showsKind?: boolean
  /** Whether to show the number of scores and votes behind the score. */
  showsVotes?: boolean
  notes?: EntryNotes | undefined
  /** Controls below the facts, keyed by the id of the entry. */
  controls?: EntryNotes | undefined
}

/** Renders an entry in a grid: its cover, its title and key facts. */
export function card(
  context: PageContext,
  entry: EntrySummary,
  { eager = false, showsKind = false, showsVotes = false, notes, controls }: CardOptions = {},
): Html {
  const { messages } = context
  const { type, id, cover, nsfw } = entry
  const [main] = shownTitles(context, entry)
  const { browse: texts } = messages
  const image = picture(context, {
    media: cover,
    kind: type,
    id,
    title: main.text,
    lang: main.lang,
    shape: SHAPE_OF[type],
    sizes: SIZES,
    eager,
    // Grids always blur graded pictures; the entry's page can reveal them.
    graded: 'guest',
    blurred: isBlurred(context, entry),
    decorative: true,
  })
  const note = notes?.get(id)
  const score = entry.weighted_score?.toFixed(1)
  const facts = showsVotes
    ? messages.entry.scoreOf({ amount: entry.score_votes })
    : factsOf(entry, showsKind ? messages.kinds[type] : shownDeveloper(context, entry))
  return html`<li class="entry"><a href="${entryPath(type, id)}">${image}<span class="entry-title"${main.lang !== undefined && html` lang="${main.lang}"`}>${main.text}</span></a>${isWorkKind(type) && cardMark(context, type, id, main.text)}${
    score !== undefined &&
    html`<span class="score on-cover"><span class="unseen">${texts.score({ score })}</span><span aria-hidden="true">★ ${score}</span></span>`
  }
${(nsfw || facts !== '') && html`<p class="entry-facts">${nsfw && html`<span class="adult" title="${texts.adults}">${texts.adultsMark}</span> `}${facts}</p>`}${note !== undefined && html`<p class="quiet card-text">${note}</p>`}${controls?.get(id)}</li>`
}

/**
 * Renders a signed-in viewer's status for a work, or a control to add the work. It links to the rating form, which a
 * script opens in place.
 */
export function cardMark(
  { messages, marks }: PageContext,
  kind: WorkKind,
  id: number,
  title: string,
): Html | undefined {
  if (!marks) return undefined
  const { library: texts } = messages
  const status = marks.get(id)
  const link = html`href="/library/${KINDS[kind].path}/${id}" data-mark-link`
  if (status === undefined)
    return html`<a class="on-list add" ${link}><span aria-hidden="true">+</span><span class="unseen">${texts.add}: ${title}</span></a>`
  const names: Record<string, string> = texts.statuses[kind === 'galgame' ? 'game' : 'book']
  const word = status === null ? texts.onList : (names[status] ?? texts.onList)
  return html`<a class="on-list status-${status ?? 'none'}" ${link}><span>${word}</span><span class="unseen">: ${title}</span></a>`
}

/** Joins the year and another fact. */
const factsOf = ({ release_date: date }: EntrySummary, other: string | null) =>
  [date?.slice(0, 4), other].filter(Boolean).join(' · ')
