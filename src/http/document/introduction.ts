const DESCRIPTION = `
The catalog of galgames, light novels, mangas, people, producers and characters, and what readers record of it.

For the catalog get a token with your app's id and secret at the token endpoint, for what is a reader's own one by the
authorization code flow, and send it as \`Authorization: Bearer …\`. The paths of the catalog also answer at \`/v3\` instead of
\`/api/v3/open\`, and those at \`/v3/user/me\` also at \`/api/v3/open/user/me\`. Answers of the catalog carry a strong \`ETag\`;
\`If-None-Match\` gets 304.
`.trim()

/** The `info` section of the OpenAPI document. */
export const INFO = {
  title: 'mokuroku',
  // Label of the public API (§9).
  version: '3.13.0',
  description: DESCRIPTION,
  contact: { name: 'The maintainers of mokuroku' },
  license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
}

/** Tags of the API, in the order of the document. */
export const TAGS = Object.entries({
  Galgames: 'Visual novels and games like them, who made them and who is in them.',
  'Light novels': 'Light novels, their volumes, who made them and who is in them.',
  Mangas: 'Mangas, their volumes, who made them and who is in them.',
  People: 'Writers, artists, voice actors and all others who make works.',
  Producers: 'Companies, circles, publishers, magazines and labels.',
  Characters: 'Characters of works.',
  Search: 'Entries by their names, and by their ids elsewhere.',
  Tags: 'Tags of works by their names, and the works that have one.',
  Attribution: 'Where the data come from, and under which licences.',
  Changes: 'The change feed of the catalog, for mirrors of it.',
  Ratings: "The user's own records of works: scores, reviews, progress; their history; as a file.",
  Reviews:
    'What readers have written of works, the statistics of their scores, and votes on reviews.',
  Reports: 'What readers report to the moderators, what was hidden of theirs, and objecting to it.',
  Collections: 'Lists of works that readers make, and show unless they are private.',
  'Public profiles': 'What readers show of theirs by choice.',
  Profile: 'Who the user of a token is.',
  'Developer apps': 'The apps that the user has registered.',
  Operations: 'Whether the service is up.',
}).map(([name, description]) => ({ name, description }))
