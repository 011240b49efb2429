import { spawn } from 'node:child_process'
import { availableParallelism } from 'node:os'
import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { withDatabases } from '#test/with-databases.ts'
import { MUTATIONS, type Mutation } from './bounds.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const HOOK = resolve(ROOT, 'test/mutations/mutate-source.ts')
/** Time, in milliseconds, after which a test is stopped. It counts as neither passed nor failed. */
const TIMEOUT_MS = 180_000

/**
 * Runs the test of each mutation of `bounds.ts` with that mutation, and reports those that the test does not detect.
 * The source is changed while the test loads it; the file itself is not modified. Stryker cannot do this: most bounds
 * are in SQL, and it has no mutators for SQL. `npm run mutation:bounds -- uploads` runs those whose file or text
 * contains the word.
 */
async function main(): Promise<number> {
  const [word = ''] = process.argv.slice(2)
  const chosen = MUTATIONS.filter(({ file, from }) => `${file} ${from}`.includes(word))
  const byTest = Object.entries(Object.groupBy(chosen, ({ test }) => test))
  const survivors: string[] = []
  const report = (outcome: string, { file, from, to }: Mutation) => {
    if (outcome !== 'caught') survivors.push(file)
    console.log(`${outcome}: ${file}: ${from} → ${to === '' ? 'nothing' : to}`)
  }
  await withDatabases(async () => {
    const work = async () => {
      for (let next = byTest.shift(); next; next = byTest.shift()) {
        const [test, mutations = []] = next
        const passes = (await run(test)) === 'SURVIVED'
        for (const mutation of mutations)
          report(passes ? await run(test, mutation) : `${test} FAILS WITHOUT`, mutation)
      }
    }
    await Promise.all(Array.from({ length: availableParallelism() }, work))
  })
  console.log(`${chosen.length} mutations, ${survivors.length} not caught.`)
  return survivors.length > 0 ? 1 : 0
}

const run = (test: string, mutation?: Mutation) =>
  new Promise<'caught' | 'SURVIVED' | 'TIMED OUT'>((done, fail) => {
    const { MOKUROKU_MUTATION: _, ...environment } = process.env
    spawn(
      process.execPath,
      ['--test-force-exit', ...(mutation ? ['--import', HOOK] : []), resolve(ROOT, test)],
      {
        cwd: ROOT,
        env: { ...environment, ...(mutation && { MOKUROKU_MUTATION: JSON.stringify(mutation) }) },
        stdio: 'ignore',
        timeout: TIMEOUT_MS,
      },
    )
      .once('error', fail)
      .once('exit', (code) =>
        done(code === null ? 'TIMED OUT' : code === 0 ? 'SURVIVED' : 'caught'),
      )
  })

process.exitCode = await main()
