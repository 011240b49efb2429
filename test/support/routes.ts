import type { TestService } from './service.ts'

/** Every address there is, with each of its methods, as the router itself tells. */
export function routesOf({ server }: TestService): { method: string; url: string }[] {
  const parts: string[] = []
  // A tree: four characters for each level, then what an address has more than the one above, and its methods.
  return server.app
    .printRoutes({ commonPrefix: false })
    .split('\n')
    .flatMap((line) => {
      const [, indent = '', part = '', methods] =
        /^([│ ]*)[├└]── (.*?)(?: \(([A-Z, ]+)\))?$/.exec(line.replaceAll('\u00a0', ' ')) ?? []
      const depth = indent.length / 4
      parts.length = depth
      parts[depth] = part
      const url = parts.join('')
      return (methods ?? '').split(', ').flatMap((method) => (method ? [{ method, url }] : []))
    })
}
