/** The part of schema.org's vocabulary that pages use: the types of each property, and its values. */
const SHARED_PROPERTIES = ['name', 'alternateName', 'description', 'url', 'image', 'sameAs']
const WORK = [
  ...SHARED_PROPERTIES,
  'author',
  'publisher',
  'datePublished',
  'keywords',
  'aggregateRating',
]

const PROPERTIES: Record<string, string[]> = {
  VideoGame: WORK,
  Book: [...WORK, 'isbn', 'illustrator'],
  BookSeries: WORK,
  ComicSeries: WORK,
  Person: SHARED_PROPERTIES,
  Organization: [...SHARED_PROPERTIES, 'logo', 'foundingDate'],
  ProfilePage: [...SHARED_PROPERTIES, 'dateCreated', 'mainEntity'],
  CollectionPage: [...SHARED_PROPERTIES, 'author', 'dateModified', 'mainEntity'],
  ItemList: [...SHARED_PROPERTIES, 'itemListElement', 'numberOfItems'],
  ListItem: [...SHARED_PROPERTIES, 'position'],
  AggregateRating: [
    ...SHARED_PROPERTIES,
    'ratingValue',
    'ratingCount',
    'bestRating',
    'worstRating',
  ],
}

const isDate = (value: unknown) => /^\d{4}-\d{2}-\d{2}$/.test(String(value))
const isUrl = (value: unknown) => URL.canParse(String(value))
const isNode =
  (...types: string[]) =>
  (value: unknown) =>
    typeof value === 'object' &&
    value !== null &&
    '@type' in value &&
    types.includes(String(value['@type']))

const isMoment = (value: unknown) =>
  isDate(String(value).slice(0, 10)) && !Number.isNaN(Date.parse(String(value)))

const VALUES: Record<string, (value: unknown) => boolean> = {
  url: isUrl,
  image: isUrl,
  logo: isUrl,
  sameAs: isUrl,
  datePublished: isDate,
  foundingDate: isDate,
  dateCreated: isDate,
  dateModified: isMoment,
  mainEntity: isNode('Person', 'ItemList'),
  itemListElement: isNode('ListItem'),
  numberOfItems: Number.isInteger,
  position: Number.isInteger,
  author: isNode('Person', 'Organization'),
  illustrator: isNode('Person'),
  publisher: isNode('Person', 'Organization'),
  aggregateRating: isNode('AggregateRating'),
  ratingValue: (value) => typeof value === 'number',
  ratingCount: Number.isInteger,
  bestRating: Number.isInteger,
  worstRating: Number.isInteger,
}
const isText = (value: unknown) => typeof value === 'string' && value !== ''

/** Returns the parts of a page's data that do not conform to schema.org. */
export function findSchemaFaults(node: Record<string, unknown>): string[] {
  const { '@type': type, '@context': context = 'https://schema.org', ...rest } = node
  const known = PROPERTIES[String(type)]
  if (!known) return [`no type ${String(type)}`]
  const faults = context === 'https://schema.org' ? [] : [`@context is ${JSON.stringify(context)}`]
  for (const [name, value] of Object.entries(rest)) {
    if (!known.includes(name)) faults.push(`${String(type)} has no ${name}`)
    for (const one of [value].flat()) {
      if (!(VALUES[name] ?? isText)(one)) faults.push(`${name} is ${JSON.stringify(one)}`)
      // as: an object, and arrays are flat here
      if (typeof one === 'object' && one !== null)
        faults.push(...findSchemaFaults(one as Record<string, unknown>))
    }
  }
  return faults
}
