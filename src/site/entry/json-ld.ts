import type { WorkKind } from '../../catalog/kinds.ts'
import { dayOf } from './entry-words.ts'
import type { Credit, SubjectData, Volume } from './entry-data.ts'
import type { Statistics } from './reviews/score-view.ts'
import type { ShownWork } from './works/work-model.ts'

type Data = Record<string, unknown>

/** What a work of each kind is to schema.org; a light novel with volumes is a series. */
const TYPES: Record<WorkKind, string> = {
  galgame: 'VideoGame',
  light_novel: 'Book',
  manga: 'ComicSeries',
}

/** Roles of who made a work, as schema.org names them. */
const AUTHORS = /^(author|original_creator|original_work|scenario|art)$/i
const ILLUSTRATORS = /^(illustrator|illustration|character_design)$/i

export type WorkJsonLd = {
  /** Of the page, and of the picture of it. */
  url: string
  image: string | undefined
  staff: Credit[]
  producers: Credit[]
  volumes: Volume[]
  statistics: Statistics
}

/** A work as search engines read it. */
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
    ...some('alternateName', [...others.map(({ text }) => text), ...work.aliases]),
    ...(work.texts[0] && { description: work.texts[0].text.slice(0, 500) }),
    ...(image !== undefined && { image }),
    ...(work.date && { datePublished: dayOf(work.date) }),
    ...some('author', named(AUTHORS)),
    ...(type === 'Book' && some('illustrator', named(ILLUSTRATORS))),
    ...some('publisher', makers),
    ...some(
      'keywords',
      work.tags.slice(0, 10).map(({ name }) => name),
    ),
    ...(type === 'Book' && some('isbn', isbns)),
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

/** A person, producer or character as search engines read it. */
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
    ...some('alternateName', [data.trans_name ?? '', ...data.aliases].filter(Boolean)),
    ...(description !== undefined && { description: description.slice(0, 500) }),
    ...(image !== undefined && { [kind === 'producer' ? 'logo' : 'image']: image }),
    ...(data.established && { foundingDate: dayOf(data.established) }),
    ...(data.website && { sameAs: [data.website] }),
  }
}

const some = (name: string, values: unknown[]): Data =>
  values.length > 0 ? { [name]: values } : {}
