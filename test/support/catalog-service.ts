import assert from 'node:assert/strict'
import { sql } from 'kysely'
import type { Engine } from './databases.ts'
import { startService, type TestService } from './service.ts'
import { sendApiRequest, type ApiResponse } from './user-api.ts'

/** Path prefix of the catalog (§4.1). */
export const CATALOG_PATH = '/api/v3/open'

type Json = Record<string, unknown>

export type CatalogService = {
  service: TestService
  /** Tokens with catalog:full and catalog:read. */
  full: string
  limited: string
  /** Ids of sample entries, named by the property that a test needs. */
  ids: Record<
    'clannad' | 'nsfwGalgame' | 'novel' | 'manga' | 'person' | 'producer' | 'character',
    number
  >
  /** Validates each response against the document. Uses the token with catalog:full by default. */
  get(
    path: string,
    token?: string,
    headers?: Record<string, string>,
  ): Promise<ApiResponse<Json & Json[]>>
}

/** Starts a service with the sample, in which one volume has no number. */
export async function startCatalog(engine: Engine): Promise<CatalogService> {
  const service = await startService({ engine })
  const full = await service.token('catalog:full')
  const readToken = await service.token('catalog:read')
  const { rows } = await sql<CatalogService['ids']>`
      select
        (select entry_id from source_records where source = 'vndb' and kind = 'galgame' and external_id = 'v4') as clannad,
        (select min(id) from works where kind = 'galgame' and nsfw) as "nsfwGalgame",
        (select light_novel_id from light_novel_volumes group by 1 order by count(volume_number) desc, 1 limit 1) as novel,
        (select manga_id from manga_volumes group by 1 order by count(*) desc, 1 limit 1) as manga,
        (select min(id) from people where image is not null) as person,
        (select min(producer_id) from galgame_producers) as producer,
        (select min(id) from characters where height is not null) as character`.execute(service.db)
  const [ids] = rows
  assert.ok(ids)
  await sql`
      update light_novel_volumes set volume_number = null
      where id = (select min(id) from light_novel_volumes where light_novel_id = ${ids.novel})`.execute(
    service.db,
  )
  return {
    service,
    full,
    limited: readToken,
    ids,
    get: (path, token = full, headers = {}) =>
      sendApiRequest<Json & Json[]>(service.url, { path, token, headers }),
  }
}
