import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { DEFAULT_ENGINE } from '#test/databases.ts'
import { openTestDatabase, type OpenTestDatabase } from '#test/open-database.ts'
import { CHECKOUT } from '#test/program.ts'
import { mentionsOf, readKnownNames, shapeFaults } from '#test/sharding-rules.ts'
import { ONE_MACHINE_STATEMENTS, UNSUPPORTED_FEATURES } from '../src/db/sharding/unsupported.ts'

const read = (path: string) => readFileSync(join(CHECKOUT, path), 'utf8')

/** Lists all declared statements in a new process, because modules announce them only when they are first loaded. */
function listStatements() {
  const program = `
    import { collectStatements } from './build/describe-statements.ts'
    process.stdout.write(JSON.stringify(await collectStatements()), () => process.exit())`
  const output = execFileSync(process.execPath, ['--input-type=module', '-e', program], {
    cwd: CHECKOUT,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  })
  // as: the output of the program above
  return JSON.parse(output) as { name: string; text: string }[]
}

describe('statements that distributed user data does not support', () => {
  let test: OpenTestDatabase
  before(async () => {
    test = await openTestDatabase(DEFAULT_ENGINE, 'empty')
  })
  after(() => test.remove())

  it('belong to the listed features, and each feature has one', async () => {
    const catalog = await readKnownNames(test.db)
    const ofUsers = listStatements().filter(({ text }) => mentionsOf(text).length > 0)
    assert.ok(ofUsers.length > 100, `${ofUsers.length} statements with user data`)
    const faulty = ofUsers.filter(({ text }) => shapeFaults(text, catalog).length > 0)
    const unlisted = faulty.filter(
      ({ name }) =>
        !ONE_MACHINE_STATEMENTS.includes(name) &&
        !UNSUPPORTED_FEATURES.some(({ statements }) => statements.test(name)),
    )
    const empty = UNSUPPORTED_FEATURES.filter(
      ({ statements }) => !faulty.some(({ name }) => statements.test(name)),
    )
    assert.deepEqual(
      [...unlisted, ...empty].map(({ name }) => name),
      [],
    )
  })

  it('are documented by feature', () => {
    const page = read('docs/scaling.md')
    for (const { name } of UNSUPPORTED_FEATURES) assert.ok(page.includes(name), name)
  })
})
