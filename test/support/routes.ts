import type { TestService } from './service.ts'

/** Returns every route with each of its methods, as printed by the router. */
export function routesOf({ server }: TestService): { method: string; url: string }[] {
  const parts: string[] = []
  // A tree with four characters of indentation per level. Each line has the path segment after its parent's, and the
  // methods.
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
