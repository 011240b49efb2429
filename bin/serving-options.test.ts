import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { ROOT } from './built.ts'

// Prints the options of the process at each start.
const PRINT_OPTIONS =
  'data:text/javascript,console.log(process.pid, `${process.env.MALLOC_TRIM_THRESHOLD_}/${process.env.MALLOC_ARENA_MAX}/${process.env.GLIBC_TUNABLES}`, process.execArgv.slice(2).join(" "))'

function beginnings(args: string[], given: string[] = []) {
  const program = join(ROOT, 'bin/mokuroku.ts')
  const output = execFileSync(
    process.execPath,
    ['--import', PRINT_OPTIONS, ...given, program, ...args, '--help'],
    { encoding: 'utf8', env: { PATH: process.env['PATH'] } },
  )
  return output.split('\n').flatMap((line) => {
    const [, id, malloc, options] = /^(\d+) (\S+\/\S+) (.*)$/.exec(line) ?? []
    return id === undefined ? [] : [{ id, malloc, options }]
  })
}

describe('the serving options', { skip: process.platform === 'win32' }, () => {
  for (const [command, semiSpace] of [
    ['serve', 8],
    ['import', 32],
    ['update', 32],
  ] as const)
    it(`apply to "mokuroku ${command}" without changing its PID`, () => {
      const [before, now, ...more] = beginnings([command])
      assert.deepEqual(more, [])
      assert.equal(before?.id, now?.id)
      assert.equal(before?.options, '')
      assert.equal(
        now?.options,
        `--max-semi-space-size=${semiSpace} --no-parallel-scavenge --heap-growing-percent=60 --disable-sigusr1`,
      )
      assert.deepEqual(
        [before?.malloc, now?.malloc],
        ['undefined/undefined/undefined', '1048576/2/glibc.malloc.hugetlb=1'],
      )
    })

  it('are overridden by options that the operator has set', () => {
    const given = [
      '--max-semi-space-size=32',
      '--parallel_scavenge',
      '--heap-growing-percent=50',
      '--no-disable-sigusr1',
    ]
    assert.deepEqual(
      beginnings(['serve'], given).map(({ options }) => options),
      [given.join(' ')],
    )
  })

  it('do not apply to other commands', () => {
    assert.equal(beginnings(['migrate']).length, 1)
  })
})
