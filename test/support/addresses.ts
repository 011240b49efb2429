/** A tree as the router prints it, as methods and whole addresses. */
export function addressesIn(tree: string): { method: string; url: string }[] {
  const parts: string[] = []
  return tree.split('\n').flatMap((line) => {
    const [, indent = '', part = '', methods] =
      /^([│ ]*)[├└]── (.*?)(?: \(([A-Z, ]+)\))?$/.exec(line.replaceAll('\u00a0', ' ')) ?? []
    const depth = indent.length / 4
    parts.length = depth
    parts[depth] = part
    const url = parts.join('')
    return (methods ?? '').split(', ').flatMap((method) => (method ? [{ method, url }] : []))
  })
}
