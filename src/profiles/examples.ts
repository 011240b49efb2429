/** An answer for the OpenAPI document; a test holds it against its schema. */
export const PROFILE = {
  id: 7,
  profile_name: 'nagisa',
  name: 'Nagisa',
  picture: null,
  bio: 'I read in winter.',
  since: '2026-11-21T08:00:00.000Z',
  shows: { list: true, statistics: true, reviews: true, collections: false },
}
