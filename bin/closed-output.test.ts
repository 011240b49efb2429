import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { eventually } from '#test/browser.ts'
import { createDatabase, type TestDatabase } from '#test/databases.ts'
import { freePort } from '#test/free-port.ts'
import { startMokuroku, type ProgramOptions } from '#test/program.ts'

/** Starts the program with its output piped to a process that has already exited, as `head` may have. */
function startUnread(args: string[], unread: ('stdout' | 'stderr')[], options?: ProgramOptions) {
  const program = startMokuroku(args, options)
  for (const stream of unread) program.child[stream]?.destroy()
  return program
}

describe('a closed output', () => {
  let database: TestDatabase
  before(async () => (database = await createDatabase('server', 'empty')))
  after(() => database.remove())

  it('neither makes a command print an error nor changes its exit status', async () => {
    for (const [args, expected] of [
      [['--help'], 0],
      [['--version'], 0],
      [['openapi'], 0],
      [[], 2],
    ] as const) {
      const { status, errors } = await startUnread([...args], ['stdout']).ended
      assert.deepEqual([status, errors.includes('EPIPE')], [expected, false], args.join(' '))
    }
    assert.equal((await startUnread(['--nonsense'], ['stderr']).ended).status, 2)
  })

  it('does not stop a service, whether it is standard output or the log', async () => {
    for (const workers of ['1', '2']) {
      const port = await freePort()
      const server = startUnread(['serve', '--no-demo'], ['stdout', 'stderr'], {
        environment: {
          DATABASE_URL: database.databaseUrl,
          DATA_DIR: database.dataDir,
          PORT: String(port),
          WORKERS: workers,
        },
      })
      await eventually(
        () =>
          fetch(`http://127.0.0.1:${port}/health/ready`).then(
            ({ ok }) => ok,
            () => false,
          ),
        'a service that answers',
      )
      server.child.kill('SIGTERM')
      assert.equal((await server.ended).status, 0, `${workers} workers`)
    }
  })
})
