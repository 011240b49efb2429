import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { sql } from 'kysely'
import { Type, type TSchema } from 'typebox'
import { describeOnDatabase } from '#test/databases.ts'
import type { TestService } from '#test/service.ts'
import { shareService } from '#test/shared-service.ts'
import { CATALOG_CONTRACT } from './schemas.ts'

const FAMILIES = ['/api/v3/open', '/v3']

/** §2.1 */
const inEnvelope = (data: TSchema) =>
  Type.Object({
    success: Type.Literal(true),
    data,
    request_id: Type.String({ minLength: 1 }),
    timestamp: Type.String({ pattern: String.raw`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$` }),
  })

const ajv = new Ajv2020({ strict: false, allErrors: true })

describeOnDatabase('the catalog contract', (engine) => {
  let service: TestService
  let token: string
  /** Entry ids, keyed by path segment. */
  let idsOf: Map<string, number[]>

  before(async () => {
    service = await shareService(engine)
    token = await service.token('catalog:full')
    const { rows } = await sql<{ path: string; ids: number[] }>`
      select
        case resource_type when 'person' then 'people' else replace(resource_type, '_', '-') || 's' end as path,
        json_agg(resource_id order by resource_id) as ids
      from catalog_entries
      group by resource_type`.execute(service.db)
    idsOf = new Map(rows.map(({ path, ids }) => [path, ids]))
  })
  after(() => service.close())

  async function fetchData(path: string): Promise<unknown> {
    const response = await service.get(path, token)
    assert.equal(response.status, 200, path)
    return await response.json()
  }

  /** Returns the path of every entry in one family, and of the first also in the other. */
  const pathsOf = (segment: string) =>
    (idsOf.get(segment) ?? []).flatMap((id, index) =>
      (index === 0 ? FAMILIES : FAMILIES.slice(0, 1)).map((family) => `${family}/${segment}/${id}`),
    )

  /**
   * Fetches the paths.
   *
   * @returns the responses, each of which matches the schema
   */
  async function readAll(paths: string[], schema: TSchema): Promise<unknown[]> {
    const isValid = ajv.compile(schema)
    const responses: unknown[] = []
    for (const path of paths) {
      const response = await fetchData(path)
      assert.ok(isValid(response), `${path}: ${ajv.errorsText(isValid.errors)}`)
      responses.push(response)
    }
    return responses
  }

  for (const [segment, { detail, lists }] of Object.entries(CATALOG_CONTRACT)) {
    it(`matches the detail responses of all ${segment}`, async () => {
      const responses = await readAll(pathsOf(segment), inEnvelope(detail))
      assert.ok(responses.length > 20, `only ${responses.length} answers`)
      assertNeedsEveryField(detail, dataOf(responses[0]))
    })

    if ('characters' in lists)
      it(`matches the characters of the ${segment} when filtered by the role PRIMARY`, async () => {
        const paths = pathsOf(segment).map((path) => `${path}/characters?role=PRIMARY`)
        await readAll(paths, inEnvelope(Type.Array(lists['characters'] ?? Type.Never())))
      })

    for (const [list, item] of Object.entries(lists))
      it(`matches the ${list} of all ${segment}`, async () => {
        const paths = pathsOf(segment).map((path) => `${path}/${list}`)
        const items = (await readAll(paths, inEnvelope(Type.Array(item)))).flatMap(dataOf)
        assert.ok(items.length > 0, 'no work of the sample has any')
        assertNeedsEveryField(item, items[0])
      })
  }
})

// as: §2.1
const dataOf = (response: unknown) => (response as { data: unknown }).data

/** Asserts that the schema requires every field; otherwise any response would match. */
function assertNeedsEveryField(schema: TSchema, data: unknown) {
  // as: every schema here describes an object, and the data matches it
  const names = Object.keys((schema as unknown as { properties: object }).properties)
  for (const name of names) {
    const { [name]: _, ...rest } = data as Record<string, unknown>
    assert.equal(ajv.validate(schema, rest), false, name)
  }
}
