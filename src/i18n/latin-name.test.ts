import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { sql } from 'kysely'
import { openTestDatabase, type OpenTestDatabase } from '#test/open-database.ts'
import { latinName } from './latin-name.ts'

describe('the Latin name of an entry', () => {
  let test: OpenTestDatabase
  before(async () => {
    test = await openTestDatabase('server')
  })
  after(() => test.remove())

  async function nameOf(name: string, others: string[]): Promise<string | undefined> {
    const { rows } = await sql<{ name: string | null }>`
      select latin_name(${name}, ${JSON.stringify(others)}::jsonb) as name`.execute(test.db)
    const found = rows[0]?.name ?? undefined
    assert.equal(latinName(name, others), found, 'the program agrees with the database')
    return found
  }

  it('is the first full name in Latin letters, or else the first one', async () => {
    assert.equal(await nameOf('麻枝准', ['麻枝', 'Maeda', 'Maeda Jun', 'Jun Maeda']), 'Maeda Jun')
    assert.equal(await nameOf('竜騎士07', ['R07', 'Ryukishi07']), 'Ryukishi07')
    assert.equal(await nameOf('麻枝准', ['Maéda “Jun” – 2']), 'Maéda “Jun” – 2')
  })

  it('is neither an abbreviation nor mixed with another script', async () => {
    assert.equal(await nameOf('ハルヒ', ['SOS', 'A B C D', 'SOS団 Haruhi', '1234567']), undefined)
    assert.equal(await nameOf('ハルヒ', []), undefined)
  })

  it('is missing for a name that is in Latin letters', async () => {
    assert.equal(await nameOf('Key', ['Visual Arts']), undefined)
    assert.equal(await nameOf('Åsa', ['Another name']), undefined)
  })
})
