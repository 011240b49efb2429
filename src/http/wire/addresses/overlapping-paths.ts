/**
 * Returns the route paths that may match the same URL as a different path, such as `/works/:id` and `/works/batch`.
 *
 * @param paths with `:name` for one segment and `*` for the rest of a URL
 */
export function overlappingPaths(paths: string[]): Set<string> {
  const overlapping = new Set<string>()
  const split = paths.map((path) => ({ path, parts: path.split('/') }))
  for (const [index, one] of split.entries())
    for (const other of split.slice(index + 1))
      if (mayMeet(one.parts, other.parts)) {
        overlapping.add(one.path)
        overlapping.add(other.path)
      }
  return overlapping
}

function mayMeet(a: string[], b: string[]): boolean {
  for (let index = 0; index < Math.max(a.length, b.length); index += 1) {
    const [part, otherPart] = [a[index], b[index]]
    if (part?.includes('*') || otherPart?.includes('*')) return true
    if (part === undefined || otherPart === undefined) return false
    if (part !== otherPart && !part.includes(':') && !otherPart.includes(':')) return false
  }
  return true
}
