/**
 * Returns SQL for a parameter whose value the planner cannot see, so that it plans a prepared statement once per
 * connection (a generic plan). Otherwise, PostgreSQL may plan it again for each value if that plan looks cheaper. It
 * does for an array with one ID, where a generic plan assumes ten, and for a `case` some of whose branches the value
 * excludes. For a statement that reads few rows, planning takes several times as long as the rest.
 *
 * @param parameter parameter with its type, such as `$1::bigint[]`
 */
export function forAnyValue(parameter: `$${number}::${string}`): string {
  // Without the outer cast, `any (…)` would read the rows of the subquery instead of its array.
  return `(select ${parameter})::${parameter.slice(parameter.indexOf('::') + 2)}`
}
