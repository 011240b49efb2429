/**
 * Returns SQL for a parameter whose value the planner cannot see, so that it plans a prepared statement once per
 * connection (a generic plan). Otherwise, PostgreSQL may plan it for each value, because it expects that plan to be
 * cheaper: for the one ID in an array, where it would assume ten, or without the branches of a `case` that the value
 * excludes. For a statement that reads few rows, planning takes several times as long as the rest.
 *
 * @param parameter parameter with its type, such as `$1::bigint[]`
 */
export function forAnyValue(parameter: `$${number}::${string}`): string {
  // The outer cast makes `any (…)` read an array instead of rows.
  return `(select ${parameter})::${parameter.slice(parameter.indexOf('::') + 2)}`
}
