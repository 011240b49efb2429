import type { FastifyReply, FastifyRequest } from 'fastify'
import { etagOf, matchesEtag } from '../http/wire/etag.ts'
import { isSharedByGuests } from './page-cache.ts'

/**
 * Sends a feed or a calendar. Guests share a cached copy.
 *
 * @param headers content type, `cache-control` and other headers
 * @param isCacheable false if a user may unpublish the content at any moment
 */
export async function sendFeed(
  request: FastifyRequest,
  reply: FastifyReply,
  text: string,
  {
    headers,
    isCacheable = true,
  }: { headers: Record<string, string> & { 'content-type': string }; isCacheable?: boolean },
): Promise<FastifyReply> {
  const all = {
    ...headers,
    vary: 'Accept-Encoding, Accept-Language, Cookie',
    'x-content-type-options': 'nosniff',
  }
  const cache = request.server.pageCache
  if (cache && isCacheable && isSharedByGuests(request)) {
    const { generation } = request
    await cache.cacheAndSend(request, reply, { text, headers: all, generation })
    return reply
  }
  const etag = etagOf(text)
  void reply.headers({ ...all, 'x-request-id': request.id, etag })
  const known = request.headers['if-none-match']
  return known !== undefined && matchesEtag(known, etag)
    ? reply.status(304).send()
    : reply.send(text)
}
