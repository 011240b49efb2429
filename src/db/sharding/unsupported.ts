/**
 * Features that do not work with distributed user data, with the names of their statements. Each joins user data with
 * tables that stay on the coordinator, or locks rows across accounts (decision 0039).
 */
export const UNSUPPORTED_FEATURES: readonly { name: string; statements: RegExp }[] = [
  {
    name: 'libraries and statistics of users',
    statements:
      /^ratings\.(own_|library_|random_plan|(decades|kinds|months|people|scores|tags|totals)_for_|user_reviews_|version$)/,
  },
  { name: 'releases of the works in a list', statements: /^browse\.releases_of_list$/ },
  {
    name: 'public profiles, favorites, followed profiles and the timeline',
    statements: /^profiles\./,
  },
  { name: 'notifications', statements: /^notifications\./ },
  {
    name: 'shared statements for simultaneous ratings: each rating runs its own statement',
    statements: /^ratings\.save_shared_/,
  },
]

/** Statements that run only while user data is on one machine. With several machines, other statements with the same result replace them. */
export const ONE_MACHINE_STATEMENTS: readonly string[] = ['similar.compute', 'ratings.list_items']
