/**
 * The address of a page with some of its parameters changed.
 *
 * @param changes null takes a parameter away
 */
export function addressWith(
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
