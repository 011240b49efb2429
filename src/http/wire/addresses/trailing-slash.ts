import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import findMyWay from 'find-my-way'
import { API_HEADERS } from '../errors/headers.ts'
import { MAX_PARAM_LENGTH } from './unsupported-methods.ts'

/**
 * Redirects a path with a trailing slash to the same path without it, if that exists. Call it before registering
 * routes.
 *
 * @returns a handler for requests that match no route, which returns true if it redirected
 */
export function redirectTrailingSlash(app: FastifyInstance) {
  const paths = new Set<string>()
  app.addHook('onRoute', ({ url, config }) => {
    // Pages of the desk are hidden from most users, so a redirect must not reveal them.
    if (!url.includes('*') && !config?.role) paths.add(url)
  })

  let router: ReturnType<typeof findMyWay> | undefined
  // Built on first use, to keep startup fast.
  const routerOfPaths = () => {
    const built = findMyWay({ maxParamLength: MAX_PARAM_LENGTH })
    for (const url of paths) built.on('GET', url, () => {})
    return built
  }

  const redirect = (request: FastifyRequest, reply: FastifyReply): boolean => {
    const [path = '', query] = request.url.split(/\?(.*)/s, 2)
    // Two leading slashes or a leading backslash would lead to another host.
    if (!/^\/[^/\\].*\/$/s.test(path)) return false
    const target = path.slice(0, -1)
    router ??= routerOfPaths()
    if (!router.find('GET', target)) return false
    void reply
      .status(308)
      .headers({ ...API_HEADERS, location: query === undefined ? target : `${target}?${query}` })
      .send()
    return true
  }
  // `/v3/galgames/` matches the route of an entry, with an empty id.
  app.addHook('onRequest', (request, reply, done) => {
    if (!hasEmptyParameter(request.params) || !redirect(request, reply)) done()
  })
  return redirect
}

function hasEmptyParameter(params: unknown): boolean {
  // as: Fastify's parameters are a record of strings
  for (const name in params as object)
    if ((params as Record<string, unknown>)[name] === '') return true
  return false
}
