/**
 * Features that do not work with distributed user data, with the names of their statements. Each joins user data with
 * tables that stay on the coordinator, or locks rows across accounts (decision 0039).
 */
export const UNSUPPORTED_FEATURES: Readonly<Record<string, RegExp>> = {
  'libraries and statistics of users':
    /^ratings\.(own_|library_|random_plan|(decades|kinds|months|people|scores|tags|totals)_for_|user_reviews_|version$)/,
  'latest and most helpful reviews': /^ratings\.(latest|most_helpful)_reviews$/,
  'releases of the works in a list': /^browse\.releases_of_list$/,
  'public profiles, favorites, followed profiles and the timeline': /^profiles\./,
  notifications: /^notifications\./,
  'reports, and hiding and restoring reviews': /^moderation\./,
  'similar works': /^similar\.compute$/,
  'deletion of expired rows and unused pictures': /^(retention|uploads)\./,
}
