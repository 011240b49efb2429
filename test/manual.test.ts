import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import {
  appendFileSync,
  chmodSync,
  globSync,
  mkdirSync,
  readFileSync,
  writeFileSync,
} from 'node:fs'
import { delimiter, join } from 'node:path'
import { describe, it } from 'node:test'
import { createDatabase } from '#test/databases.ts'
import { readManualBlocks, readShellBlocks } from '#test/manual.ts'
import { freePort } from '#test/free-port.ts'
import { asPostgresUser, createCluster, startCluster } from '#test/postgres.ts'
import {
  CHECKOUT,
  mokuroku,
  startMokuroku,
  startProgram,
  temporaryFolder,
  type Program,
} from '#test/program.ts'
import { queryOnce } from '#test/query-once.ts'
import { runCommand } from '#test/run-command.ts'
import { removeFolder } from '#test/scratch-folder.ts'

const PASSWORD = 'a long enough password\n'
const PSQL = spawnSync('psql', ['--version']).status === 0

/** Creates a folder whose program `npx` runs the checkout's build. */
function shimNpx(folder: string) {
  const path = join(folder, 'bin')
  mkdirSync(path)
  writeFileSync(
    join(path, 'npx'),
    `#!/bin/sh\n[ "$1 $2" = "--no-install mokuroku" ] && shift 2\nexec '${process.execPath}' '${join(CHECKOUT, 'dist/mokuroku.js')}' "$@"\n`,
  )
  chmodSync(join(path, 'npx'), 0o755)
  return path
}

describe('the commands in the documentation', () => {
  it('exist, with their subcommands and options', async () => {
    const pages = globSync('{README,CONTRIBUTING,SECURITY,docs/*}.md', { cwd: CHECKOUT })
    const commands = new Map<string, Set<string>>()
    for (const page of pages)
      for (const [, words = '', rest = ''] of readFileSync(join(CHECKOUT, page), 'utf8').matchAll(
        /(?:`|--no-install )mokuroku((?: [a-z][a-z-]*(?=[ `\n]))+)([^`\n]*)/g,
      )) {
        const options = commands.get(words.trim()) ?? new Set()
        for (const [option] of rest.matchAll(/--[a-z-]+/g)) options.add(option)
        commands.set(words.trim(), options)
      }
    assert.ok(commands.size > 25)
    for (const [words, options] of commands) {
      const { status, output } = await runCommand([...words.split(' '), '--help'])
      assert.equal(status, 0, words)
      const [, name = '', more = ''] = /^Usage: mokuroku ([a-z -]*[a-z])(.*)/.exec(output) ?? []
      const isArgument = /<|\[(?!options|command)/.test(more) && words.startsWith(`${name} `)
      assert.ok(words === name || isArgument, `${words}: the program has ${name}`)
      for (const option of options) assert.ok(output.includes(option), `${words} has ${option}`)
    }
  })

  it('download no package named mokuroku, because its author could be anyone', () => {
    const pages = '{*.md,docs/**/*.md,examples/**/*.md,sdk/*.md,src/**/*.{json,md,ts}}'
    const files = globSync(pages, { cwd: CHECKOUT }).filter((file) => file !== 'CHANGELOG.md')
    const lines = files.flatMap((file) =>
      readFileSync(join(CHECKOUT, file), 'utf8')
        .split('\n')
        .map((line) => `${file}: ${line}`),
    )
    const commands = lines.filter((line) => line.includes('npx --no-install mokuroku'))
    assert.ok(commands.length > 30)
    const download =
      /\bnpx (?!--no-install )[^`]*\bmokuroku\b|\bnpm (?:i|install|update|exec)\b[^`]* mokuroku(?:-sdk)?(?![\w./-])/
    assert.deepEqual(
      lines.filter((line) => download.test(line)),
      [],
    )
  })
})

describe('the commands in docs/operations.md', () => {
  it('back up a running service, restore it, and move it to a server', async () => {
    const { path, remove } = temporaryFolder()
    const source = await createDatabase('embedded', 'empty')
    const target = await createDatabase('embedded', 'nothing')
    const server = await createDatabase('server', 'nothing')
    const port = String(await freePort())
    const settings = { PORT: port, HOST: '127.0.0.1', PATH: '' }
    settings.PATH = [shimNpx(path), process.env['PATH']].join(delimiter)
    const run = async (heading: string, dataDir: string) => {
      const script = readShellBlocks(heading)
        .replaceAll('/backups/', `${path}/`)
        .replaceAll('$PWD/data', dataDir)
        .replaceAll('postgres://mokuroku:password@host/mokuroku', String(server.databaseUrl))
      const { status, output, errors } = await startProgram(['sh', '-euc', script], {
        cwd: path,
        environment: { ...settings, DATA_DIR: dataDir },
      }).ended
      assert.equal(status, 0, output + errors)
      return output
    }
    let service: Program | undefined
    try {
      const environment = { ...settings, DATA_DIR: source.dataDir }
      service = startMokuroku(['serve', '--no-demo'], { environment })
      await service.waitForOutput('Listening')
      await mokuroku(['account', 'create', 'kept@example.org'], { environment, input: PASSWORD })
      await run('## Backup', source.dataDir)
      if (PSQL) await run('## Database', source.dataDir)
      await run('## Search index', source.dataDir)
      await service.end('SIGTERM')
      await run('### Restore', target.dataDir)
      await run('### Moving between databases', target.dataDir)
      for (const restored of [
        { DATA_DIR: target.dataDir },
        { DATA_DIR: target.dataDir, DATABASE_URL: server.databaseUrl },
      ]) {
        const { output } = await mokuroku(['account', 'list'], { environment: restored })
        assert.match(output, /kept@example\.org/)
      }
    } finally {
      await service?.end()
      await Promise.all([source.remove(), target.remove(), server.remove()])
      remove()
    }
  })

  it('recover a server to a point in time', async () => {
    const heading = '### Point-in-time recovery'
    const { binaries, folder } = createCluster('disk')
    const inFolder = (text: string) => text.replaceAll('/backups', `${folder}/backups`)
    const runScript = (script: string, variables: NodeJS.ProcessEnv = {}) => {
      const { status, stderr } = spawnSync('sh', ['-euc', inFolder(script)], {
        ...asPostgresUser(),
        env: { PATH: `${binaries}:${process.env['PATH']}`, ...variables },
        encoding: 'utf8',
      })
      assert.equal(status, 0, stderr)
    }
    const PGDATA = join(folder, 'data')
    const [configuration = ''] = readManualBlocks(heading, 'ini')
    const [baseBackup = '', recovery = ''] = readManualBlocks(heading, 'sh')
    runScript('mkdir -p /backups/wal')
    appendFileSync(join(PGDATA, 'postgresql.conf'), inFolder(configuration))

    let server = await startCluster(binaries, folder, [], true)
    const { path, remove } = temporaryFolder()
    const environment = () => ({ DATA_DIR: path, DATABASE_URL: server.url })
    const createAccount = async (name: string) => {
      const { status, errors } = await mokuroku(['account', 'create', `${name}@example.org`], {
        environment: environment(),
        input: PASSWORD,
      })
      assert.equal(status, 0, errors)
    }
    try {
      await createAccount('before')
      runScript(baseBackup, { DATABASE_URL: server.url })
      await createAccount('kept')
      const [now] = await queryOnce(server.url, 'select clock_timestamp()::text as time')
      await createAccount('lost')
      await server.stop()
      runScript(recovery.replace(/(?<=recovery_target_time = ')[^']+/, String(now?.['time'])), {
        PGDATA,
      })
      server = await startCluster(binaries, folder, [], true)
      const { output } = await mokuroku(['account', 'list'], { environment: environment() })
      assert.deepEqual(output.match(/\w+(?=@example\.org)/g)?.toSorted(), ['before', 'kept'])
      await createAccount('after')
    } finally {
      await server.stop()
      removeFolder(folder)
      remove()
    }
  })
})
