/** A Fastify route, which is the same object for each of its requests. */
export type CountedRoute = { method: string | string[]; url: string }

/** Returns the method and the path of a route as in the OpenAPI document. */
export function endpointOf({ method, url }: CountedRoute): string {
  const [first = 'GET'] = [method].flat()
  return `${first === 'HEAD' ? 'GET' : first} ${url.replaceAll(/:(\w+)/g, '{$1}')}`.slice(0, 200)
}
