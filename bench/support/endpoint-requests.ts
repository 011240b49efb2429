import { readFileSync } from 'node:fs'
import { SORTS } from '../../src/browse/lists/sorts.ts'
import {
  ENTRY_KINDS,
  isWorkKind,
  KINDS,
  WORK_KINDS,
  type EntryKind,
} from '../../src/catalog/kinds.ts'
import { BENCH_PROFILE } from './fill-users.ts'
import type { Subjects } from './subjects.ts'

/** Senders of a request. The last two are for pages. */
export type RequestSender =
  | 'anonymous'
  | 'application'
  | 'user'
  | 'developer'
  | 'guest'
  | 'signed in'

/** One kind of request. It differs between the catalogs only in its subject. */
export type EndpointRequest = {
  name: string
  sender: RequestSender
  /** @param random number from 0 up to 1, different each time */
  path: (subjects: Subjects, random: () => number) => string
}

type Value = EndpointRequest['path']

const of =
  (list: (subjects: Subjects) => readonly (string | number)[]): Value =>
  (subjects, random) => {
    const values = list(subjects)
    return encodeURIComponent(values[Math.floor(random() * values.length)] ?? '')
  }

const idOf = (kind: EntryKind) => of(({ ids }) => ids[kind])

/** Values for path parameters, keyed by name, the longest name first. Every parameter of a path is one of these. */
const PLACES: [text: string, value: Value][] = [
  ...ENTRY_KINDS.map((kind): [string, Value] => [`/${KINDS[kind].path}/{id}`, idOf(kind)]),
  ...WORK_KINDS.map((kind): [string, Value] => [
    `/me/rates/${KINDS[kind].path}/{id}`,
    of(({ records }) => records[kind]),
  ]),
  ['/tags/{name}', of(({ tags }) => tags)],
  ['/reviews/{id}', of(({ hotReviews }) => hotReviews)],
  ['/open/collections/{id}', of(({ collections }) => collections)],
  ['/me/collections/{id}', ({ ownCollection }) => String(ownCollection)],
  ['/{kind}/{work_id}', (...args) => `galgames/${of(({ records }) => records.galgame)(...args)}`],
  ['/profiles/{name}', () => BENCH_PROFILE],
  ['/apps/{client_id}', ({ ownApp }) => ownApp.clientId],
]
PLACES.sort(([one], [other]) => other.length - one.length)

const aWholeName = of(({ names }) => names.whole)

/** Queries of operations that require one. */
const QUERIES: Record<string, Value> = {
  search: (...args) => `q=${aWholeName(...args)}`,
  searchInstant: (...args) => `q=${aWholeName(...args)}`,
  searchSuggestions: (...args) => `q=${aWholeName(...args)}`,
  lookUpEntries: (...args) => `source=bangumi&id=${of(({ outsideIds }) => outsideIds)(...args)}`,
  listCatalogChanges: ({ lastChange }, random) =>
    `since=${Math.floor(random() * lastChange)}&limit=100`,
}

type Operation = {
  operationId: string
  security?: Partial<Record<RequestSender, string[]>>[]
  parameters?: ({ $ref: string } | Parameter)[]
}
type Parameter = { in: string; name: string; required?: boolean }
export type ApiDocument = {
  paths: Record<string, { get?: Operation; parameters?: Operation['parameters'] }>
  components: { parameters?: Record<string, Parameter> }
}

const DOCUMENT = new URL('../../openapi.json', import.meta.url)

// as: another test compares the document with the routes
export const readApiDocument = () => JSON.parse(readFileSync(DOCUMENT, 'utf8')) as ApiDocument

/**
 * Returns a request for every GET of the API.
 *
 * @throws {Error} if an operation needs a parameter that none of the tables above contains
 */
export function requestsOfApi({ paths, components }: ApiDocument): EndpointRequest[] {
  return Object.entries(paths).flatMap(([path, { get, parameters = [] }]) => {
    if (!get) return []
    const all = [...parameters, ...(get.parameters ?? [])].map((parameter) =>
      '$ref' in parameter
        ? components.parameters?.[parameter.$ref.split('/').at(-1) ?? '']
        : parameter,
    )
    const query = QUERIES[get.operationId]
    if (!query && all.some((parameter) => parameter?.in === 'query' && parameter.required))
      throw new Error(`GET ${path} needs a query: add ${get.operationId} to QUERIES`)
    const fillPath = fill(path)
    return {
      name: path,
      sender: senderOf(get),
      path: (...args) => `${fillPath(...args)}${query ? `?${query(...args)}` : ''}`,
    }
  })
}

function fill(path: string): Value {
  const used = PLACES.reduce<{ rest: string; places: typeof PLACES }>(
    ({ rest, places }, index) =>
      rest.includes(index[0])
        ? { rest: rest.replace(index[0], ''), places: [...places, index] }
        : { rest, places },
    { rest: path, places: [] },
  )
  if (used.rest.includes('{'))
    throw new Error(`GET ${path} has a parameter without a value: add it to PLACES`)
  return (...args) =>
    used.places.reduce(
      (text, [placeholder, value]) =>
        text.replace(placeholder, () => placeholder.replace(/\{.*\}/, () => value(...args))),
      path,
    )
}

const SENDERS = ['application', 'user', 'developer'] as const
const senderOf = ({ security = [] }: Operation): RequestSender =>
  SENDERS.find((sender) => security.some((scheme) => sender in scheme)) ?? 'anonymous'

const OPEN = '/api/v3/open'

/** Deepest page that a catalog of a thousand works also has and that is not cached. */
const DEEP: Record<EntryKind, number> = {
  galgame: 15,
  light_novel: 30,
  manga: 30,
  person: 30,
  producer: 30,
  character: 30,
}

const app = (name: string, pathOf: Value): EndpointRequest => ({
  name,
  sender: 'application',
  path: (...args) => OPEN + pathOf(...args),
})

/** Orders, filters and pages of lists, searches, and pages of reviews and collections. */
export const requestsOfLists = (): EndpointRequest[] => [
  ...ENTRY_KINDS.flatMap((kind) => {
    const list = `/${KINDS[kind].path}`
    const with_ = (query: string, value: Value = () => '') =>
      app(`${list.slice(1)}?${query}`, (...args) => `${list}?${query}${value(...args)}`)
    return [
      ...SORTS[kind].map((sort) => with_(`sort=${sort}`)),
      ...SORTS[kind].map((sort) => with_(`page=${DEEP[kind]}&sort=${sort}`)),
      with_('ids=', (...args) => Array.from({ length: 50 }, () => idOf(kind)(...args)).join()),
      ...(isWorkKind(kind)
        ? [
            with_('sort=date&year=', (_subjects, random) => years(random)),
            with_(
              'tag=',
              of(({ tags }) => tags),
            ),
            with_('min_score=7&sort=date'),
            with_('min_score=8&nsfw=false'),
            with_('person=', idOf('person')),
            with_('producer=', idOf('producer')),
            with_('character=', idOf('character')),
            with_(
              'sort=score&tag=',
              (...args) => `${of(({ tags }) => tags)(...args)}&year=${years(args[1])}`,
            ),
          ]
        : []),
    ]
  }),
  app('galgames?status=', () => '/galgames?status=RELEASED'),
  app('light-novels?status=', () => '/light-novels?status=SERIALIZING'),
  app('mangas?status=', () => '/mangas?status=FINISHED'),
  app('search, common pair', (...args) => `/search?q=${of(({ names }) => names.common)(...args)}`),
  app('search, rare pair', (...args) => `/search?q=${of(({ names }) => names.rare)(...args)}`),
  app(
    'search/instant, common pair',
    (...args) => `/search/instant?q=${of(({ names }) => names.common)(...args)}`,
  ),
  app(
    'search/instant, rare pair',
    (...args) => `/search/instant?q=${of(({ names }) => names.rare)(...args)}`,
  ),
  app('search/instant, as typed', (...args) => `/search/instant?q=${asTyped(aWholeName(...args))}`),
  app('lookup, ten ids', (...args) => {
    const ids = Array.from({ length: 10 }, () => of(({ outsideIds }) => outsideIds)(...args))
    return `/lookup?source=bangumi&id=${ids.join()}`
  }),
  app(
    'catalog/changes, the last',
    ({ lastChange }) => `/catalog/changes?since=${lastChange - 100}`,
  ),
  ...['top', 'newest', 'score'].flatMap((sort) => [
    app(`rates of a hot work, ${sort}`, ({ hotWork }) => `/galgames/${hotWork}/rates?sort=${sort}`),
    app(
      `rates of a hot work, ${sort}, page 90`,
      ({ hotWork }) => `/galgames/${hotWork}/rates?sort=${sort}&page=90`,
    ),
  ]),
  app('rates/statistics of a hot work', ({ hotWork }) => `/galgames/${hotWork}/rates/statistics`),
]

/** Two tags, so that a page of ten is full even in a small catalog. */
const years = (random: () => number) => {
  const year = 2000 + Math.floor(random() * 24)
  return `${year},${year + 1}`
}

const asTyped = (name: string) =>
  encodeURIComponent([...decodeURIComponent(name)].slice(0, 3).join(''))

/** Pages of the website. Guest pages are cached by URL, so each request uses a different one. */
export const requestsOfPages = (): EndpointRequest[] => [
  ...['/', '/tags', '/feeds/new.atom', '/sitemap.xml'].map((path) => guest(path, () => path)),
  ...ENTRY_KINDS.flatMap((kind) => {
    const { path } = KINDS[kind]
    const entry: Value = (...args) => `/${path}/${idOf(kind)(...args)}`
    return [guest(`/${path}`, () => `/${path}`), guest(`/${path}/{id}`, entry)]
  }),
  ...WORK_KINDS.flatMap((kind) => {
    const { path } = KINDS[kind]
    const below = (part: string): EndpointRequest =>
      guest(`/${path}/{id}/${part}`, (...args) => `/${path}/${idOf(kind)(...args)}/${part}`)
    return [
      guest(`/${path}?sort=score`, () => `/${path}?sort=score`),
      guest(`/${path}?page=5`, () => `/${path}?page=5`),
      below('characters'),
      below('reviews'),
    ]
  }),
  guest('/galgames/{hot}/reviews', ({ hotWork }) => `/galgames/${hotWork}/reviews`),
  guest('/tags/{name}', (...args) => `/tags/${of(({ tags }) => tags)(...args)}`),
  guest('/search', (...args) => `/search?q=${aWholeName(...args)}`),
  guest(
    '/search, common pair',
    (...args) => `/search?q=${of(({ names }) => names.common)(...args)}`,
  ),
  guest('/search/instant', (...args) => `/search/instant?q=${asTyped(aWholeName(...args))}`),
  guest(
    '/collections/{id}',
    (...args) => `/collections/${of(({ collections }) => collections)(...args)}`,
  ),
  ...['', '/list', '/statistics', '/reviews', '/collections', '/reviews.xml'].map((part) =>
    guest(`/u/{name}${part}`, () => `/u/${BENCH_PROFILE}${part}`),
  ),
  ...[
    '/',
    '/galgames',
    '/library',
    '/library/statistics',
    '/library/history',
    '/library/collections',
  ].map((path) => signedIn(path, () => path)),
  signedIn('/galgames/{id}', (...args) => `/galgames/${idOf('galgame')(...args)}`),
]

const guest = (name: string, pathOf: Value): EndpointRequest => ({
  name: `page ${name}`,
  sender: 'guest',
  path: (...args) => {
    const path = pathOf(...args)
    return `${path}${path.includes('?') ? '&' : '?'}asked=${args[1]()}`
  },
})

const signedIn = (name: string, pathOf: Value): EndpointRequest => ({
  name: `page ${name}, signed in`,
  sender: 'signed in',
  path: pathOf,
})
