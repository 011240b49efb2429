/**
 * Returns SQL for a parameter whose value the planner cannot see, so that it plans a prepared statement once per
 * connection (a generic plan). Otherwise, PostgreSQL may plan it again for each value, because it estimates that plan to be cheaper: for
 * the one id in an array instead of the ten that it assumes, or without the branches of a `case` that the value excludes. If a statement
 * reads few rows, planning takes several times longer than the rest.
 *
 * @param parameter parameter with its type, such as `$1::bigint[]`
 */
export function forAnyValue(parameter: `$${number}::${string}`): string {
  // The outer cast makes `any (…)` read an array instead of rows.
  return `(select ${parameter})::${parameter.slice(parameter.indexOf('::') + 2)}`
}
