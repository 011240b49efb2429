import { type Static, Type } from 'typebox'
import { listLoadedSources, type LoadedSource } from './queries.ts'
import { sendUncached } from '../cache/send-cached.ts'
import { documentedRoute } from '../../http/document/operation.ts'
import { DateTime, Envelope, Named, Nullable, Ref } from '../../http/wire/schemas.ts'
import { SOURCE_NAMES, SOURCES } from '../../sources/registry.ts'
import type { CatalogApp } from '../catalog-app.ts'

const License = Type.Object({
  name: Type.String({ description: 'SPDX identifier' }),
  url: Type.String(),
})

/** A source of the catalog's data. */
export const AttributedSource = Named('AttributedSource', {
  source: Type.String({ description: 'Name of the source in `lookup`' }),
  name: Type.String(),
  url: Type.String(),
  licences: Type.Array(License, {
    description: 'License of the database first, then of its contents',
  }),
  notice: Type.String({ description: 'Must be shown wherever the data are shown' }),
  dump_date: Nullable(
    Type.String({ description: 'Date of the dump according to the source, `YYYY-MM-DD`' }),
  ),
  imported_at: Nullable(DateTime),
})
export type AttributedSource = Static<typeof AttributedSource>

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
export function attributionRoute({ app, reads }: CatalogApp) {
  app.get(
    '/attribution',
    documentedRoute({
      access: 'anonymous',
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
    async (request, reply) => {
      const sources = (await listLoadedSources(reads, SOURCE_NAMES)).flatMap(toAttributed)
      return sendUncached(request, reply, { nsfw: false, data: JSON.stringify({ sources }) })
    },
  )
}
