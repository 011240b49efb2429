import assert from 'node:assert/strict'
import { existsSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { createDatabase } from '#test/databases.ts'
import { freePort, listenLocally } from '#test/free-port.ts'
import { mokuroku, temporaryFolder } from '#test/program.ts'

describe('a start that cannot succeed', () => {
  const { path, remove } = temporaryFolder()
  after(remove)

  /** Starts the service and returns its exit status and output, without the log. */
  async function startOutput(environment: NodeJS.ProcessEnv) {
    const { status, output, errors } = await mokuroku(['serve', '--no-demo'], {
      environment: { DATA_DIR: join(path, 'data'), PORT: '0', ...environment },
    })
    return {
      status,
      output,
      lines: errors.split('\n').filter((line) => line !== '' && !line.startsWith('{')),
    }
  }

  /** Starts a server that accepts connections and never responds. */
  async function occupy() {
    const server = createServer()
    const port = await listenLocally(server)
    return { port, release: () => server.close() }
  }

  it('reports that the port is taken, and creates nothing', async () => {
    const { port, release } = await occupy()
    try {
      const untouched = join(path, 'untouched')
      assert.deepEqual(await startOutput({ PORT: String(port), DATA_DIR: untouched }), {
        status: 1,
        output: '',
        lines: [
          `Port ${port} of localhost is used by another program. Stop it, or set PORT to another port; 0 selects a free one.`,
        ],
      })
      assert.ok(!existsSync(untouched))
    } finally {
      release()
    }
  })

  it('reports that METRICS_ADDRESS cannot be used, and creates nothing', async () => {
    const port = await freePort()
    const untouched = join(path, 'untouched')
    for (const [address, reason] of [
      [`127.0.0.1:${port}`, 'port is used by this service (PORT) or another program'],
      ['192.0.2.1:9464', 'address cannot be used (EADDRNOTAVAIL)'],
    ])
      assert.deepEqual(
        await startOutput({ PORT: String(port), METRICS_ADDRESS: address, DATA_DIR: untouched }),
        { status: 1, output: '', lines: [`METRICS_ADDRESS is ${address}, whose ${reason}.`] },
      )
    assert.ok(!existsSync(untouched))
  })

  it('reports that HOST is not an address of this machine', async () => {
    const { status, lines } = await startOutput({ HOST: '192.0.2.1', PORT: '14790' })
    assert.deepEqual(
      { status, lines },
      { status: 1, lines: ['HOST is 192.0.2.1, which is not an address of this machine.'] },
    )
  })

  it('reports that DATA_DIR is unusable', async () => {
    const file = join(path, 'file')
    writeFileSync(file, '')
    for (const dataDir of [file, join(file, 'data'), '/proc/mokuroku', '/proc/mokuroku/data']) {
      const { status, output, lines } = await startOutput({ DATA_DIR: dataDir })
      assert.deepEqual({ status, output, count: lines.length }, { status: 1, output: '', count: 1 })
      assert.ok(
        lines[0]?.startsWith(`DATA_DIR is ${dataDir}, which cannot be used: `),
        lines.join(),
      )
    }
  })

  it('reports that no database is listening', async () => {
    const port = await freePort()
    assert.deepEqual(
      await startOutput({ DATABASE_URL: `postgres://user:sesame@127.0.0.1:${port}/database` }),
      {
        status: 1,
        output: '',
        lines: [
          `The database in DATABASE_URL cannot be reached: connect ECONNREFUSED 127.0.0.1:${port}`,
        ],
      },
    )
  })

  it('reports after a deadline that the database does not respond', async () => {
    const { port, release } = await occupy()
    try {
      assert.deepEqual(
        await startOutput({ DATABASE_URL: `postgres://user:sesame@127.0.0.1:${port}/database` }),
        {
          status: 1,
          output: '',
          lines: [
            'The database in DATABASE_URL does not respond: connecting took longer than 5 seconds.',
          ],
        },
      )
    } finally {
      release()
    }
  })

  it('reports that the database does not exist on the server', async () => {
    const database = await createDatabase('server', 'nothing')
    await database.remove()
    const { status, output, lines } = await startOutput({ DATABASE_URL: database.databaseUrl })
    assert.deepEqual({ status, output, count: lines.length }, { status: 1, output: '', count: 1 })
    assert.match(
      lines[0] ?? '',
      /^The database in DATABASE_URL rejected the connection: .+ does not exist$/,
    )
  })

  it('reports every invalid setting', async () => {
    const { status, output, lines } = await startOutput({ PORT: 'x', LOG_LEVEL: 'loud' })
    assert.deepEqual({ status, output, count: lines.length }, { status: 2, output: '', count: 2 })
  })
})
