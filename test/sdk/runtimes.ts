import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { createClient, createUser, obtainTokens, type TestUser } from '#test/authorization.ts'
import { execute } from '#test/execute.ts'
import { CHECKOUT, startProgram, temporaryFolder } from '#test/program.ts'
import { startRelay } from '#test/relay.ts'
import { startService, type TestApp, type TestService } from '#test/service.ts'

const PACKAGES = [
  'bun@1.4.5',
  'deno@2.9.6',
  '@arethetypeswrong/cli@0.18.5',
  'publint@0.3.25',
  'typescript@5.9.3',
]

/** Commands that run a program, by runtime. */
const RUNTIMES: Record<string, string[]> = {
  Node: [process.execPath],
  Bun: ['node_modules/.bin/bun', 'run'],
  Deno: ['node_modules/.bin/deno', 'run', '--allow-all', '--node-modules-dir=manual'],
}

const PROGRAM = `
import process from 'node:process'
import { appTokens, createClient, getGalgames, getProfile, pages, userTokens } from 'mokuroku-sdk'
import { fileLock, fileStore } from 'mokuroku-sdk/node'

const { SERVER: server, CLIENT_ID: clientId, CLIENT_SECRET: clientSecret, TOKENS: file } = process.env
const app = { server, clientId, clientSecret, store: fileStore(file), lock: fileLock(file) }

const client = createClient({ server, token: appTokens({ ...app, scope: 'catalog:read' }) })
const titles = []
for await (const work of pages(getGalgames, client, { sort: 'name', page_size: 10 })) titles.push(work.title)
const user = createClient({ server, token: userTokens(app) })
const { name } = await getProfile(user)
console.log(JSON.stringify({ titles, name }))
`

// `npm test` skips this file, because it installs 300 MB.
describe('the client package', () => {
  const { path, remove } = temporaryFolder('disk')
  let service: TestService
  let app: TestApp
  let user: TestUser
  let tarball: string
  before(async () => {
    service = await startService()
    app = await createClient(service)
    user = await createUser(service, 'Ann')
    const options = ['--ignore-scripts', '--json', '--pack-destination', path]
    const packed = execute('npm', ['pack', ...options], join(CHECKOUT, 'sdk'))
    // as: the report of npm
    const [{ filename } = { filename: '' }] = JSON.parse(packed) as { filename: string }[]
    tarball = join(path, filename)
    writeFileSync(join(path, 'package.json'), '{ "private": true, "type": "module" }')
    writeFileSync(join(path, 'program.mjs'), PROGRAM)
    execute('npm', ['install', '--no-audit', '--no-fund', tarball, ...PACKAGES], path)
  })
  after(async () => {
    await service?.close()
    remove()
  })

  for (const [name, command] of Object.entries(RUNTIMES))
    it(`retries, refreshes once for two processes, and reads a list on ${name}`, async () => {
      const scope = 'openid user:read offline_access'
      const { refresh_token: refresh } = await obtainTokens(service, {
        app,
        user,
        scope,
        prompt: 'consent',
      })
      const file = join(path, `${name}.json`)
      writeFileSync(file, JSON.stringify({ refresh_token: refresh, expires_at: 0 }))
      let failures = 0
      const relay = await startRelay(service.url, {
        isUnavailable: (url) => url.includes('/galgames') && (failures += 1) <= 2,
      })
      try {
        const environment = {
          SERVER: relay.url,
          CLIENT_ID: app.clientId,
          CLIENT_SECRET: app.secret,
          TOKENS: file,
        }
        const start = () =>
          startProgram([...command, 'program.mjs'], { cwd: path, environment }).ended
        const list = await service.get(
          '/v3/galgames?sort=name&page_size=100',
          await service.token('catalog:read'),
        )
        // as: a page of the list
        const { data } = (await list.json()) as { data: { items: { title: string }[] } }
        const titles = data.items.map(({ title }) => title)
        assert.ok(titles.length > 10)
        for (const { status, output, errors } of await Promise.all([start(), start()])) {
          assert.equal(status, 0, errors)
          assert.deepEqual(JSON.parse(output), { titles, name: 'Ann' })
        }
        assert.ok(failures > 2, 'a list after two failures')
        assert.doesNotMatch(readFileSync(file, 'utf8'), new RegExp(`"${refresh}"`))
        // Each process gets a token of the app, and one of them a token of the user.
        assert.equal(relay.paths.filter((url) => url === '/oidc/token').length, 3)
      } finally {
        relay.close()
      }
    })

  it('passes publint and attw', () => {
    const bin = join(path, 'node_modules/.bin')
    execute(join(bin, 'publint'), ['--strict', tarball], path)
    execute(join(bin, 'attw'), ['--profile', 'esm-only', tarball], path)
  })
})
