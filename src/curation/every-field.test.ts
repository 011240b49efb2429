import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { importRecords } from '#test/catalog.ts'
import { describeOnDatabase } from '#test/databases.ts'
import { FULL_RESPONSES, FULL_LISTS, FULL_RECORDS } from '#test/full-records.ts'
import { startService, type TestService } from '#test/service.ts'
import { KINDS } from '../catalog/kinds.ts'
import { ALL_COLUMNS } from '../sources/records/columns.ts'

it('every full record has a distinct value for each field, different from the column’s default', () => {
  for (const kind of new Set(FULL_RECORDS.map((record) => record.kind))) {
    const records = FULL_RECORDS.filter((record) => record.kind === kind).map(({ fields }) => ({
      ...fields,
    }))
    for (const [name, fallback] of Object.entries(ALL_COLUMNS[kind]))
      assert.ok(
        records.some((fields: Record<string, unknown>) => !isSame(fields[name], fallback)),
        `${kind} ${name} always has its default value`,
      )
    for (const fields of records) {
      const values = Object.values(fields).map((value) => JSON.stringify(value))
      assert.equal(new Set(values).size, values.length, `two fields of a ${kind} are the same`)
    }
  }
})

const isSame = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b)

describeOnDatabase('every field of an imported record', (engine) => {
  let service: TestService
  let token: string

  before(async () => {
    service = await startService({ engine, content: 'empty' })
    token = await service.token('catalog:full')
    await importRecords(service.db, 'local', FULL_RECORDS)
  })
  after(() => service.close())

  async function dataOf(path: string): Promise<unknown> {
    const response = await service.get(`/api/v3/open/${path}`, token)
    // as: §2.1
    return ((await response.json()) as { data: unknown }).data
  }

  for (const { kind, data } of FULL_RESPONSES)
    it(`is returned under its own name: ${kind} ${data.id}`, async () => {
      const { path } = KINDS[kind]
      assert.deepEqual(await dataOf(`${path}/${data.id}`), data)
      assert.deepEqual(await dataOf(`${path}?ids=${data.id}`), {
        items: [data],
        missing: [],
        merged: [],
      })
    })

  for (const [path, data] of FULL_LISTS)
    it(`appears in the list in billing order: ${path}`, async () => {
      assert.deepEqual(await dataOf(path), data)
    })
})
