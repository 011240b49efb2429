import { html, type Html } from '../../../ui/html.ts'
import type { PageContext } from '../../../ui/page/page-context.ts'
import type { View } from '../../../ui/page/page.ts'
import type { ContainingPublicCollection } from '../../../collections/public-queries.ts'
import { collectionName } from '../../collections/collection-name.ts'
import { chips } from '../../components/chips.ts'
import { entryPath } from '../../components/entry-path.ts'
import { entryGrid } from '../../components/entry-grid.ts'
import { picturePathOf, versionOf } from '../../pictures/picture-path.ts'
import { hasPictures, isGraded } from '../../pictures/picture.ts'
import { workTagChips } from '../../tags/work-tags.ts'
import { tagName } from '../../../browse/tags/tag-concepts.ts'
import type { OwnRating } from '../../library/rating/own-rating.ts'
import { castView } from '../cast-view.ts'
import { entryHead } from '../entry-head.ts'
import type { CastEntry, Credit, Relation, Review, Volume, WorkData } from '../entry-data.ts'
import { labelFor } from '../labels.ts'
import { factChips, factsView } from '../facts-view.ts'
import { workJsonLd } from '../json-ld.ts'
import { paragraphs } from '../texts.ts'
import { userLink, reviewsView } from '../reviews/reviews-view.ts'
import { scoreView, type Statistics } from '../reviews/score-view.ts'
import { partSection } from '../section.ts'
import { staffView } from '../staff-view.ts'
import { tabs } from '../tabs.ts'
import { otherCoversView, screenshotsView } from './pictures-view.ts'
import { headScore, sourceScoresView } from './source-scores-view.ts'
import { similarReason, type SimilarEntry } from './similar-reason.ts'
import { volumesView } from './volumes-view.ts'
import { pricesView, workFacts } from './work-facts.ts'
import { toShownWork, type ShownWork } from './shown-work.ts'

/** Parts of a work's page, with the total number of items in each. */
export type WorkPage = {
  work: WorkData
  cast: CastEntry[]
  castTotal: number
  staff: Credit[]
  staffTotal: number
  producers: Credit[]
  volumes: Volume[]
  relations: Relation[]
  statistics: Statistics
  reviews: Review[]
  reviewsTotal: number
  similar: SimilarEntry[]
  collections: ContainingPublicCollection[]
  own: OwnRating
  /** Whether collections have pages to link to. */
  hasCollections: boolean
}

/** Number of tags shown at first. The others are collapsed below them. */
const MAX_TAGS = 24
/** Spoiler level of tags with major spoilers (VNDB). */
const MAJOR_SPOILER = 2

/** Renders a work's main page. */
export function workView(context: PageContext, page: WorkPage): View {
  const { messages } = context
  const { entry: texts } = messages
  const shown = toShownWork(context, page.work, page.producers)
  const path = entryPath(shown.kind, shown.id)
  const all = (part: string, heading: string, count: number, here: number) =>
    count > here
      ? { href: `${path}/${part}`, text: texts.allOf({ heading, amount: count }) }
      : undefined
  const manga = page.work.kind === 'manga' ? page.work.data : undefined
  const { kind } = shown
  const { mean, total_count: users } = page.statistics
  const showsScores = mean !== null || users > 0 || shown.sourceScores.length === 0
  const names = [
    ...shown.titles.map(({ text }) => text),
    ...shown.aliases,
    ...[...page.staff, ...page.producers].map(({ target }) => target.name),
    ...page.cast.map(({ character }) => character.name),
  ]
  const tags = workTagChips(context.language, shown.tags, names)
  const spoilers = workTagChips(context.language, shown.spoilerTags, names).filter(
    ({ text }) => !tags.some((tag) => tag.text === text),
  )
  const major = new Set(
    shown.spoilerTags
      .filter(({ level }) => level === MAJOR_SPOILER)
      .map(({ name }) => tagName(name, context.language)),
  )
  const body = html`${page.own.notice}<article class="work" data-viewer="${JSON.stringify({ previous: messages.browse.previous, next: messages.browse.next, close: texts.close })}">${workHead(context, shown, page)}
${factsView(context, { facts: workFacts(context, page.work, shown), aliases: shown.aliases, links: linksOf(page.work, shown), below: [html`<section id="score"><h2>${texts.score}</h2>${showsScores && scoreView(context, kind, page.statistics)}${sourceScoresView(context, shown.sourceScores)}</section>`, pricesView(context, page.work)] })}
<div class="entry-text">${workTabs(context, shown, page)}
${textView(context, shown)}
${tags.length > 0 && chips(texts.tags, tags.slice(0, MAX_TAGS))}
${
  tags.length > MAX_TAGS &&
  html`<details class="other-text"><summary>${texts.moreTags({ amount: tags.length - MAX_TAGS })}</summary>${chips(texts.moreTags({ amount: tags.length - MAX_TAGS }), tags.slice(MAX_TAGS))}</details>`
}
${
  spoilers.length > 0 &&
  html`<details class="spoiler"${context.viewer?.showsSpoilers === true && html` open`}><summary>${texts.spoilerTags({ amount: spoilers.length })}</summary>${factChips(spoilers.map(({ text }) => ({ text: major.has(text) ? texts.majorSpoiler({ tag: text }) : text })))}</details>`
}</div>
<div class="entry-parts">
${page.volumes.length > 0 && kind !== 'galgame' && partSection(texts.volumes, volumesView(context, kind, page.volumes))}
${page.cast.length > 0 && partSection(texts.characters, castView(context, page.cast), { more: all('characters', texts.characters, page.castTotal, page.cast.length) })}
${shown.screenshots.length > 0 && hasPictures(context) && partSection(texts.pictures, screenshotsView(context, shown))}
${shown.covers.length > 1 && hasPictures(context) && partSection(texts.otherCovers, otherCoversView(context, shown))}
${partSection(texts.reviews, page.reviews.length > 0 ? reviewsView(context, page.work, page.reviews) : html`<p class="quiet">${texts.noReviews}</p>`, { more: all('reviews', texts.reviews, page.reviewsTotal, page.reviews.length) })}
${page.producers.length > 0 && partSection(texts.producers, staffView(context, page.producers))}
${page.staff.length > 0 && partSection(texts.staff, staffView(context, page.staff), { more: all('staff', texts.staff, page.staffTotal, page.staff.length) })}
${
  manga &&
  manga.editions.length > 0 &&
  partSection(
    texts.editions,
    manga.editions.map(
      ({ label, fields }) =>
        html`<h3>${label}</h3><dl class="entry-list">${Object.entries(fields).map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>`,
    ),
  )
}
${page.relations.length > 0 && partSection(texts.relations, relationsView(context, page.relations))}
${page.similar.length > 0 && html`<div class="shelf">${partSection(texts.similar, similarView(context, page.similar))}</div>`}
${page.collections.length > 0 && partSection(texts.collections, collectionsView(context, page))}
</div></article>`
  const image = previewImage(context, shown)
  return {
    title: shown.titles[0].text,
    scripts: hasPictures(context) ? ['/assets/viewer.js'] : [],
    body,
    head: {
      description:
        shown.texts[0]?.text ??
        texts.descriptionOf({
          kind: messages.kinds[kind],
          title: shown.titles.map(({ text }) => text).join(' / '),
        }),
      canonical: path,
      openGraph: { type: kind === 'galgame' ? 'website' : 'book', image },
      jsonLd: workJsonLd(shown, {
        url: context.origin + path,
        image: image && context.origin + image,
        staff: page.staff,
        producers: page.producers,
        volumes: page.volumes,
        statistics: page.statistics,
      }),
    },
  }
}

/** Renders the header of every page of a work. */
export function workHead(
  context: PageContext,
  shown: ShownWork,
  { statistics, own }: { statistics: Statistics; own?: OwnRating },
): Html {
  const { messages } = context
  const path = `${entryPath(shown.kind, shown.id)}#score`
  return entryHead(context, {
    ...shown,
    media: shown.covers[0],
    shape: 'cover',
    facts: [messages.kinds[shown.kind], shown.date?.slice(0, 4), shown.madeBy],
    below: headScore(messages, path, statistics, shown.sourceScores),
    own: own?.form,
  })
}

/** Returns the external links except the official website, which is one of the facts. */
const linksOf = ({ kind, data }: WorkData, { links }: ShownWork) =>
  links.filter(({ url }) => kind === 'light_novel' || url !== data.homepage)

export type WorkTotals = { castTotal: number; staffTotal: number; reviewsTotal: number }

export function workTabs(
  { messages }: PageContext,
  { kind, id }: ShownWork,
  totals: WorkTotals,
  part = '',
): Html {
  const { entry: texts } = messages
  const path = entryPath(kind, id)
  return tabs(
    texts.overview,
    [
      { href: path, text: texts.overview },
      { href: `${path}/characters`, text: texts.characters, amount: totals.castTotal },
      { href: `${path}/staff`, text: texts.staff, amount: totals.staffTotal },
      { href: `${path}/reviews`, text: texts.reviews, amount: totals.reviewsTotal },
    ],
    path + part,
  )
}

/** Renders the description for the viewer. Descriptions in other languages are collapsed below. */
export function textView({ messages }: PageContext, { texts }: Pick<ShownWork, 'texts'>): Html {
  const { entry: labels } = messages
  const [main, ...others] = texts
  if (!main) return html`<p class="quiet">${labels.noText}</p>`
  return html`<div class="prose">${paragraphs(main.text, main.lang)}</div>${others.map(
    ({ text, lang }) =>
      html`<details class="other-text"><summary>${labelFor(labels.textIn, lang ?? 'own')}</summary><div class="prose">${paragraphs(text, lang)}</div></details>`,
  )}`
}

function similarView(context: PageContext, similar: readonly SimilarEntry[]): Html {
  return entryGrid(
    context,
    similar.map(({ work }) => work),
    {
      eager: false,
      notes: new Map(similar.map((entry) => [entry.work.id, similarReason(context, entry)])),
    },
  )
}

function relationsView(context: PageContext, relations: Relation[]): Html {
  const byRelation = Map.groupBy(relations, ({ detail }) => detail)
  return html`${[...byRelation].map(
    ([detail, related]) =>
      html`<h3>${labelFor(context.messages.entry.relationNames, detail)}</h3>${entryGrid(
        context,
        related.map(({ entry }) => entry),
        { eager: false },
      )}`,
  )}`
}

function collectionsView(context: PageContext, { collections, hasCollections }: WorkPage): Html {
  const { messages } = context
  return html`<ul class="plain-list named-collections">${collections.map(
    ({ id, owner, owner_id: ownerId, item_count: amount, ...named }) => {
      const name = collectionName(messages, named)
      return html`<li>${hasCollections ? html`<a href="/collections/${id}">${name}</a>` : html`<strong>${name}</strong>`} <span class="quiet">${userLink(context, { id: ownerId, name: owner })} · ${messages.entry.itemCount({ amount })}</span></li>`
    },
  )}</ul>`
}

/** Returns the path of the picture for link previews, blurred if it is graded. */
export function previewImage(
  context: PageContext,
  { kind, id, covers: [cover] }: ShownWork,
): string | undefined {
  if (!cover || !hasPictures(context)) return undefined
  return picturePathOf({
    kind,
    id,
    index: 0,
    width: 640,
    format: 'jpg',
    blurred: isGraded(cover),
    version: versionOf(cover.url),
  })
}
