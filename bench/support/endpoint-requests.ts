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

const aWholeName = of(({ names }) => names.whole)
const aCommonPair = of(({ names }) => names.common)
const aRarePair = of(({ names }) => names.rare)
const aTag = of(({ tags }) => tags)
const anOutsideId = of(({ outsideIds }) => outsideIds)
const aCollection = of(({ collections }) => collections)

/** Values for path parameters, keyed by name, the longest name first. Every parameter of a path is one of these. */
const PLACES: [text: string, value: Value][] = [
  ...ENTRY_KINDS.map((kind): [string, Value] => [`/${KINDS[kind].path}/{id}`, idOf(kind)]),
  ...WORK_KINDS.map((kind): [string, Value] => [
    `/me/rates/${KINDS[kind].path}/{id}`,
    of(({ records }) => records[kind]),
  ]),
  ['/tags/{name}', aTag],
  ['/reviews/{id}', of(({ hotReviews }) => hotReviews)],
  ['/open/collections/{id}', aCollection],
  ['/me/collections/{id}', ({ ownCollection }) => String(ownCollection)],
  ['/{kind}/{work_id}', (...args) => `galgames/${of(({ records }) => records.galgame)(...args)}`],
  ['/profiles/{name}', () => BENCH_PROFILE],
  ['/apps/{client_id}', ({ ownApp }) => ownApp.clientId],
]
PLACES.sort(([one], [other]) => other.length - one.length)

/** Queries of operations that require one. */
const QUERIES: Record<string, Value> = {
  search: (...args) => `q=${aWholeName(...args)}`,
  searchInstant: (...args) => `q=${aWholeName(...args)}`,
  searchSuggestions: (...args) => `q=${aWholeName(...args)}`,
  lookUpEntries: (...args) => `source=bangumi&id=${anOutsideId(...args)}`,
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

/** @param value rest of the path */
const app = (name: string, path: string, value: Value = () => ''): EndpointRequest => ({
  name,
  sender: 'application',
  path: (...args) => OPEN + path + value(...args),
})

/** Orders, filters and pages of lists, searches, and pages of reviews and collections. */
export const requestsOfLists = (): EndpointRequest[] => [
  ...ENTRY_KINDS.flatMap((kind) => {
    const list = `/${KINDS[kind].path}`
    const with_ = (query: string, value?: Value) =>
      app(`${list.slice(1)}?${query}`, `${list}?${query}`, value)
    return [
      ...SORTS[kind].map((sort) => with_(`sort=${sort}`)),
      ...SORTS[kind].map((sort) => with_(`page=${DEEP[kind]}&sort=${sort}`)),
      with_('ids=', (...args) => Array.from({ length: 50 }, () => idOf(kind)(...args)).join()),
      ...(isWorkKind(kind)
        ? [
            with_('sort=date&year=', (_subjects, random) => years(random)),
            with_('tag=', aTag),
            with_('min_score=7&sort=date'),
            with_('min_score=8&nsfw=false'),
            with_('person=', idOf('person')),
            with_('producer=', idOf('producer')),
            with_('character=', idOf('character')),
            with_('sort=score&tag=', (...args) => `${aTag(...args)}&year=${years(args[1])}`),
          ]
        : []),
    ]
  }),
  app('galgames?status=', '/galgames?status=RELEASED'),
  app('light-novels?status=', '/light-novels?status=SERIALIZING'),
  app('mangas?status=', '/mangas?status=FINISHED'),
  app('search, common pair', '/search?q=', aCommonPair),
  app('search, rare pair', '/search?q=', aRarePair),
  app('search/instant, common pair', '/search/instant?q=', aCommonPair),
  app('search/instant, rare pair', '/search/instant?q=', aRarePair),
  app('search/instant, as typed', '/search/instant?q=', aTypedName),
  app('lookup, ten ids', '/lookup?source=bangumi&id=', (...args) =>
    Array.from({ length: 10 }, () => anOutsideId(...args)).join(),
  ),
  app('catalog/changes, the last', '/catalog/changes?since=', ({ lastChange }) =>
    String(lastChange - 100),
  ),
  ...['top', 'newest', 'score'].flatMap((sort) => [
    ofHotWork(`rates of a hot work, ${sort}`, `rates?sort=${sort}`),
    ofHotWork(`rates of a hot work, ${sort}, page 90`, `rates?sort=${sort}&page=90`),
  ]),
  ofHotWork('rates/statistics of a hot work', 'rates/statistics'),
]

const ofHotWork = (name: string, part: string) =>
  app(name, '/galgames/', ({ hotWork }) => `${hotWork}/${part}`)

/** Two years, so that a page of ten is full even in a small catalog. */
const years = (random: () => number) => {
  const year = 2000 + Math.floor(random() * 24)
  return `${year},${year + 1}`
}

const aTypedName: Value = (...args) =>
  encodeURIComponent([...decodeURIComponent(aWholeName(...args))].slice(0, 3).join(''))

/** Pages of the website. Guest pages are cached by URL, so each request uses a different one. */
export const requestsOfPages = (): EndpointRequest[] => [
  ...['/', '/tags', '/feeds/new.atom', '/sitemap.xml'].map((path) => guest(path, path)),
  ...ENTRY_KINDS.flatMap((kind) => {
    const { path } = KINDS[kind]
    return [guest(`/${path}`, `/${path}`), guest(`/${path}/{id}`, `/${path}/`, idOf(kind))]
  }),
  ...WORK_KINDS.flatMap((kind) => {
    const { path } = KINDS[kind]
    const below = (part: string): EndpointRequest =>
      guest(`/${path}/{id}/${part}`, `/${path}/`, (...args) => `${idOf(kind)(...args)}/${part}`)
    return [
      guest(`/${path}?sort=score`, `/${path}?sort=score`),
      guest(`/${path}?page=5`, `/${path}?page=5`),
      below('characters'),
      below('reviews'),
    ]
  }),
  guest('/galgames/{hot}/reviews', '/galgames/', ({ hotWork }) => `${hotWork}/reviews`),
  guest('/tags/{name}', '/tags/', aTag),
  guest('/search', '/search?q=', aWholeName),
  guest('/search, common pair', '/search?q=', aCommonPair),
  guest('/search/instant', '/search/instant?q=', aTypedName),
  guest('/collections/{id}', '/collections/', aCollection),
  ...['', '/list', '/statistics', '/reviews', '/collections', '/activity.xml', '/reviews.xml'].map(
    (part) => guest(`/u/{name}${part}`, `/u/${BENCH_PROFILE}${part}`),
  ),
  ...[
    '/',
    '/galgames',
    '/library',
    '/library/statistics',
    '/library/history',
    '/library/collections',
  ].map((path) => signedIn(path, path)),
  signedIn('/galgames/{id}', '/galgames/', idOf('galgame')),
]

const guest = (name: string, path: string, value: Value = () => ''): EndpointRequest => ({
  name: `page ${name}`,
  sender: 'guest',
  path: (...args) => `${path}${value(...args)}${path.includes('?') ? '&' : '?'}asked=${args[1]()}`,
})

const signedIn = (name: string, path: string, value: Value = () => ''): EndpointRequest => ({
  name: `page ${name}, signed in`,
  sender: 'signed in',
  path: (...args) => path + value(...args),
})
