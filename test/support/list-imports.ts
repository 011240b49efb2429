import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { sql } from 'kysely'
import type { WorkKind } from '../../src/catalog/kinds.ts'
import { deleteRating } from '../../src/ratings/own/queries.ts'
import { sendApiRequest, type AnyJson, type ApiResponse, type SignedInUser } from './user-api.ts'
import type { TestService } from './service.ts'

export const LIST_IMPORT_PATH = '/v3/user/me/rates/import'
export const LIST_EXPORT_PATH = '/v3/user/me/rates/export'

/** An exported file of a source. */
export const readFixture = (name: string) =>
  readFile(new URL(`../../src/ratings/lists/fixtures/${name}`, import.meta.url))

export type ImportResponse = ApiResponse & {
  message: string
  /** Errors of the fields. */
  faults: string[]
}

export type Importer = (
  query: Record<string, string | boolean | undefined>,
  file: string | Uint8Array | object | null,
  type?: string,
) => Promise<ImportResponse>

/** Uploads files like a user's app, and validates each response against the document. */
export function createImporter(
  service: TestService,
  { token }: SignedInUser,
  path = LIST_IMPORT_PATH,
): Importer {
  return async (
    query,
    file,
    type = typeof file === 'object' && !isBytes(file) ? 'application/json' : 'text/xml',
  ) => {
    const parameters = new URLSearchParams(
      Object.entries(query).flatMap(([name, value]) =>
        value === undefined ? [] : [[name, String(value)]],
      ),
    )
    const response = await sendApiRequest(service.url, {
      token,
      method: 'POST',
      path: `${path}?${parameters.toString()}`,
      body: file ?? undefined,
      ...(file !== null && { headers: { 'content-type': type } }),
    })
    const { message = '', field_errors: faults = [] } = response.body.error ?? {}
    return { ...response, message, faults: faults.map((fault: AnyJson) => fault.message) }
  }
}

const isBytes = (file: unknown): file is Uint8Array => file instanceof Uint8Array

/** Returns all ratings of a user, keyed by work, without fields that no file restores. */
export async function exportRatings(me: SignedInUser): Promise<AnyJson[]> {
  const { status, data, text } = await me.send('GET', LIST_EXPORT_PATH)
  assert.equal(status, 200, text)
  return data.ratings.map(
    ({ id: _id, created_at: _created, updated_at: _updated, ...fields }: AnyJson) => fields,
  )
}

/** Deletes all ratings and all progress of a user. */
export async function deleteAllRatings({ db }: TestService, { user }: SignedInUser) {
  const { rows } = await sql<{ kind: WorkKind; work_id: number }>`
    select kind, work_id from ratings where account_id = ${user.id}`.execute(db)
  for (const { kind, work_id } of rows)
    await deleteRating(db, { accountId: user.id, kind, workId: work_id }, 'a test')
  await sql`delete from progress where account_id = ${user.id}`.execute(db)
}

/** Returns the outcomes of a report, keyed by external id. */
export const outcomesById = (data: AnyJson): Record<string, string> =>
  Object.fromEntries(data.rows.map(({ external_id, outcome }: AnyJson) => [external_id, outcome]))

/** Returns the id of the work with an external id of a source. */
export async function findWorkOfSource(
  { db }: TestService,
  source: string,
  externalId: string,
): Promise<number> {
  const { rows } = await sql<{ entry_id: number }>`
    select entry_id from source_records where source = ${source} and external_id = ${externalId}
      and kind in ('galgame', 'light_novel', 'manga')`.execute(db)
  assert.equal(rows.length, 1, `${source} ${externalId}`)
  return rows[0]?.entry_id ?? 0
}

/** Returns a list in VNDB's export format. */
export const vndbList = (rows: string[]) =>
  `<vndb-export version="1.0"><vns>\n${rows.join('\n')}\n</vns></vndb-export>`
