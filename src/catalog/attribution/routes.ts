import { Type } from 'typebox'
import { operation } from '../../http/document/operation.ts'
import { Envelope, Ref } from '../../http/wire/schemas.ts'
import { SOURCE_NAMES, SOURCES } from '../../sources/registry.ts'
import { toCachedResponse } from '../cache/cached-response.ts'
import type { CatalogApp } from '../catalog-app.ts'
import { sendCached } from '../cache/send-cached.ts'
import { listLoadedSources, type LoadedSource } from './queries.ts'
import { AttributedSource } from './schemas.ts'

const ACCESS = { access: 'anonymous' } as const

function toAttributed({ source, dump_date, imported_at }: LoadedSource): AttributedSource[] {
  return SOURCE_NAMES.filter((known) => known === source).map((known) => ({
    source: known,
    ...SOURCES[known].attribution,
    dump_date,
    imported_at: imported_at?.toISOString() ?? null,
  }))
}

/**
 * Registers `attribution`, the list of the catalog's sources. It needs no token, because the licenses require the
 * notices to be public.
 */
export function attributionRoute({ app, db }: CatalogApp) {
  app.get(
    '/attribution',
    {
      config: ACCESS,
      schema: operation({
        ...ACCESS,
        tag: 'Attribution',
        operationId: 'getAttribution',
        summary: 'Sources of the catalog, with their licenses and notices',
        description: 'Rate limits apply per client IP address.',
        success: { 200: Envelope(Type.Object({ sources: Type.Array(Ref(AttributedSource)) })) },
        example: {
          sources: toAttributed({
            source: 'vndb',
            dump_date: '2026-11-18',
            imported_at: new Date('2026-11-19T06:02:11.000Z'),
          }),
        },
        cacheable: true,
      }),
    },
    async (request, reply) => {
      const sources = (await listLoadedSources(db, SOURCE_NAMES)).flatMap(toAttributed)
      sendCached(
        request,
        reply,
        toCachedResponse({ nsfw: false, data: JSON.stringify({ sources }) }),
      )
      return reply
    },
  )
}
