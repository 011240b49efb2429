import type { WorkKind } from '../../catalog/kinds.ts'
import { dayOf } from './labels.ts'
import type { Credit, SubjectData, Volume } from './entry-data.ts'
import type { Statistics } from './reviews/score-view.ts'
import type { ShownWork } from './works/shown-work.ts'

type Data = Record<string, unknown>

/** Type of each kind in schema.org. A light novel with several volumes is a series. */
const TYPES: Record<WorkKind, string> = {
  galgame: 'VideoGame',
  light_novel: 'Book',
  manga: 'ComicSeries',
}

/** Roles of the staff that correspond to properties of schema.org. */
const AUTHOR_ROLES = /^(author|original_creator|original_work|scenario|art)$/i
const ILLUSTRATOR_ROLES = /^(illustrator|illustration|character_design)$/i

export type WorkJsonLd = {
  /** URL of the page. */
  url: string
  image: string | undefined
  staff: Credit[]
  producers: Credit[]
  volumes: Volume[]
  statistics: Statistics
}

/** Builds a work's structured data. */
export function workJsonLd(
  work: ShownWork,
  { url, image, staff, producers, volumes, statistics }: WorkJsonLd,
): Data {
  const [main, ...others] = work.titles
  const { mean, total, distribution } = statistics
  const type = work.kind === 'light_novel' && volumes.length > 1 ? 'BookSeries' : TYPES[work.kind]
  const makers = producers.map(({ target }) => ({ '@type': 'Organization', name: target.name }))
  const named = (roles: RegExp) =>
    staff
      .filter(({ role }) => roles.test(role))
      .map(({ target }) => ({ '@type': 'Person', name: target.name }))
  const isbns = volumes.flatMap(({ isbn }) => isbn ?? [])
  return {
    '@type': type,
    name: main.text,
    url,
    ...unlessEmpty('alternateName', [...others.map(({ text }) => text), ...work.aliases]),
    ...(work.texts[0] && { description: work.texts[0].text.slice(0, 500) }),
    ...(image !== undefined && { image }),
    ...(work.date && { datePublished: dayOf(work.date) }),
    ...unlessEmpty('author', named(AUTHOR_ROLES)),
    ...(type === 'Book' && unlessEmpty('illustrator', named(ILLUSTRATOR_ROLES))),
    ...unlessEmpty('publisher', makers),
    ...unlessEmpty(
      'keywords',
      work.tags.slice(0, 10).map(({ name }) => name),
    ),
    ...(type === 'Book' && unlessEmpty('isbn', isbns)),
    ...(mean !== null && {
      aggregateRating: {
        '@type': 'AggregateRating',
        ratingValue: mean,
        ratingCount: total,
        bestRating: 10,
        worstRating: Math.min(1, ...distribution.map(({ score }) => score)),
      },
    }),
  }
}

/** Builds the structured data for a person, producer or character. */
export function subjectJsonLd(
  kind: 'person' | 'producer' | 'character',
  data: SubjectData,
  {
    url,
    image,
    description,
  }: { url: string; image: string | undefined; description: string | undefined },
): Data {
  return {
    '@type': kind === 'producer' ? 'Organization' : 'Person',
    name: data.name,
    url,
    ...unlessEmpty('alternateName', [data.trans_name ?? '', ...data.aliases].filter(Boolean)),
    ...(description !== undefined && { description: description.slice(0, 500) }),
    ...(image !== undefined && { [kind === 'producer' ? 'logo' : 'image']: image }),
    ...(data.established && { foundingDate: dayOf(data.established) }),
    ...(data.website && { sameAs: [data.website] }),
  }
}

const unlessEmpty = (name: string, values: unknown[]): Data =>
  values.length > 0 ? { [name]: values } : {}
