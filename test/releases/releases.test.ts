import assert from 'node:assert/strict'
import { existsSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { compare, valid } from 'semver'
import { readMigrations } from '../../src/db/upkeep/migrate.ts'
import { CHECKOUT } from '#test/program.ts'
import { fixtureFile, MAX_FIXTURE_BYTES, readReleased } from './fixture.ts'
import { releasedVersions } from './released-database.ts'

describe('the released versions', () => {
  it('are in order in the changelog, and the last one is in package.json', () => {
    const versions = releasedVersions()
    assert.ok(versions.length > 0)
    assert.deepEqual(versions, versions.filter((version) => valid(version)).toSorted(compare))
    // as: every manifest has a version
    const { version } = JSON.parse(readFileSync(join(CHECKOUT, 'package.json'), 'utf8')) as {
      version: string
    }
    assert.equal(version, versions.at(-1))
  })

  for (const version of releasedVersions())
    it(`have a fixture: ${version}`, async () => {
      const file = fixtureFile(version)
      assert.ok(existsSync(file), `Make ${file}: node test/releases/make-fixture.ts`)
      assert.ok(statSync(file).size <= MAX_FIXTURE_BYTES)
      const fixture = await readReleased(file)
      assert.equal(fixture.version, version)
      const empty = fixture.tables.filter(({ rows }) => rows.length === 0)
      assert.deepEqual(
        empty.map(({ name }) => name),
        [],
      )
    })

  for (const version of releasedVersions())
    it(`have migrations that this version has not changed: ${version}`, async () => {
      const { migrations } = await readReleased(fixtureFile(version))
      assert.deepEqual((await readMigrations()).slice(0, migrations.length), migrations)
    })
})
