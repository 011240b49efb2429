import type { Config } from '../../config/config.ts'

type InfoOptions = Pick<Config, 'authUrl'> & Partial<Pick<Config, 'legalFiles' | 'publicContact'>>

const DESCRIPTION = `
A catalog of galgames, light novels, mangas, people, producers and characters, with the ratings, reviews and collections of its users.

For the catalog, request a token at the token endpoint with your app's id and secret. For user data, use the authorization
code flow. Send the token as \`Authorization: Bearer …\`. Catalog paths are also available under \`/v3\` instead of
\`/api/v3/open\`, and paths under \`/v3/user/me\` also under \`/api/v3/open/user/me\`. Catalog responses have a strong \`ETag\`,
and a matching \`If-None-Match\` results in 304.
`.trim()

/** Returns the `info` section of the OpenAPI document. The title is that of the API, which generators use for names. */
export const infoOf = ({ authUrl, legalFiles, publicContact }: InfoOptions) => ({
  title: 'mokuroku',
  // Label of the public API (§9).
  version: '3.13.0',
  description: DESCRIPTION,
  ...(legalFiles?.terms !== undefined && { termsOfService: `${authUrl}/terms` }),
  contact:
    publicContact === undefined
      ? { name: 'The maintainers of mokuroku' }
      : publicContact.startsWith('mailto:')
        ? { email: publicContact.slice('mailto:'.length) }
        : { url: publicContact },
  license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
})

/** Tags of the API, in the order of the document. */
export const TAGS = Object.entries({
  Galgames: 'Visual novels and similar games, with their staff and characters.',
  'Light novels': 'Light novels, with their volumes, staff and characters.',
  Mangas: 'Mangas, with their volumes, staff and characters.',
  People: 'Writers, artists, voice actors and other creators.',
  Producers: 'Companies, circles, publishers, magazines and labels.',
  Characters: 'Characters of works.',
  Search: 'Search for entries by name, or by their ids at other sites.',
  Tags: 'Tags of works, and the works that have them.',
  Attribution: 'Sources of the data and their licenses.',
  Changes: 'Change feed of the catalog, for mirrors.',
  Ratings: "The user's own scores, reviews and progress, with their history, and as a file.",
  Reviews: 'Reviews of works, score statistics, and votes on reviews.',
  Reports: 'Reports to the moderators, takedowns, and appeals.',
  Collections: 'Lists of works created by users, public unless they are private.',
  'Public profiles': 'What users choose to show publicly.',
  Profile: 'Profile of the user of a token.',
  'Developer apps': 'Apps registered by the user.',
  Operations: 'Health of the service.',
}).map(([name, description]) => ({ name, description }))
