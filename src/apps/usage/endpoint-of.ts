/** A route as Fastify keeps it: the same object for each of its requests. */
export type CountedRoute = { method: string | string[]; url: string }

/** The address of a route as the document writes it, with its method. */
export function endpointOf({ method, url }: CountedRoute): string {
  const [first = 'GET'] = [method].flat()
  return `${first === 'HEAD' ? 'GET' : first} ${url.replaceAll(/:(\w+)/g, '{$1}')}`.slice(0, 200)
}
