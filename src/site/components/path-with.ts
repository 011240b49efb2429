/**
 * Returns a path with changed query parameters.
 *
 * @param changes values, keyed by parameter; null removes the parameter
 */
export function pathWith(
  path: string,
  parameters: URLSearchParams,
  changes: Record<string, string | null>,
): string {
  const changed = new URLSearchParams(parameters)
  for (const [name, value] of Object.entries(changes))
    if (value === null) changed.delete(name)
    else changed.set(name, value)
  const query = changed.toString()
  return query === '' ? path : `${path}?${query}`
}
