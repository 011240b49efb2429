import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { temporaryFolder } from '#test/program.ts'
import type { Figures } from '../report.ts'
import { soakOf } from './soak.ts'

/** Program that evaluates each line of its input, and then writes a line. */
const PROGRAM = `
  const kept = []
  require('node:readline').createInterface(process.stdin).on('line', (line) => {
    eval(line)
    console.log('done')
  })`

/** Growth beyond the limit of each value, by a line for the process or by a file in the database's folder. */
const GROWTHS: { name: string; line?: string; file?: string; bytes?: number }[] = [
  { name: 'MB of memory', line: 'kept.push(Buffer.alloc(90 * 2 ** 20, 1))' },
  {
    name: 'descriptors',
    line: `for (let at = 0; at < 70; at += 1) kept.push(require('node:fs').openSync('/dev/null'))`,
  },
  { name: 'MB of WAL', file: 'pg_wal/grown', bytes: 70 * 2 ** 20 },
  { name: 'MB of data', file: 'grown', bytes: 12 * 2 ** 20 },
]

/** Runs a soak of a second, on a process that grows after the first measurement. */
async function soak(growth?: (typeof GROWTHS)[number]) {
  const folder = temporaryFolder()
  mkdirSync(join(folder.path, 'pg_wal'))
  const child = spawn(process.execPath, ['-e', PROGRAM], { stdio: ['pipe', 'pipe', 'inherit'] })
  const figures: Figures = {}
  const run = async (line: string) => {
    child.stdin.write(`${line}\n`)
    await once(child.stdout, 'data')
  }
  try {
    await run('')
    const end = await soakOf(1 / 60).begin(
      {
        url: 'http://127.0.0.1:1',
        service: { pid: child.pid ?? 0 },
        workers: () => [],
        clusterFolder: folder.path,
      },
      (measured) => Object.assign(figures, measured),
    )
    if (growth?.line !== undefined) await run(growth.line)
    if (growth?.file !== undefined)
      writeFileSync(join(folder.path, growth.file), Buffer.alloc(growth.bytes ?? 0))
    await end()
  } finally {
    child.kill()
    folder.remove()
  }
  return figures
}

describe('a soak', { concurrency: true }, () => {
  it('reports the first and the last value of everything that it measures', async () => {
    const figures = await soak()
    assert.deepEqual(
      Object.keys(figures),
      GROWTHS.map(({ name }) => name),
    )
    for (const value of Object.values(figures)) assert.match(value, /^\d+ → \d+$/)
  })

  for (const growth of GROWTHS)
    it(`fails if there are more ${growth.name} than allowed`, async () => {
      await assert.rejects(
        soak(growth),
        new RegExp(`^Error: ${growth.name} grew from \\d+ to \\d+$`),
      )
    })
})
