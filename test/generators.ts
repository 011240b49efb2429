import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { execute } from '#test/execute.ts'
import { DOCUMENT, callWithGeneratedClient, type Generator } from '#test/generated-client.ts'
import { temporaryFolder } from '#test/program.ts'
import { startService, type TestService } from '#test/service.ts'

const KUBB = ['cli', 'core', 'plugin-client', 'plugin-oas', 'plugin-ts']
const PACKAGES = [
  '@hey-api/openapi-ts@0.99.0',
  'swagger-typescript-api@13.13.0',
  ...KUBB.map((name) => `@kubb/${name}@4.39.3`),
  // The first two need the JavaScript API of this version.
  'typescript@5.9.3',
]

const GENERATORS: Record<string, Generator> = {
  '@hey-api/openapi-ts': {
    command: ['openapi-ts', '-i', DOCUMENT, '-o', 'client'],
    program: `
      import { client } from './client/client.gen'
      import { getGalgame } from './client/sdk.gen'
      export async function call(baseUrl: string, auth: string, id: number) {
        client.setConfig({ baseUrl, auth })
        const { data, error } = await getGalgame({ path: { id } })
        return data?.data.id ?? error
      }`,
  },
  'swagger-typescript-api': {
    command: ['swagger-typescript-api', 'generate', '-p', DOCUMENT, '-o', '.', '-n', 'client.ts'],
    program: `
      import { Api } from './client'
      export async function call(baseUrl: string, token: string, id: number) {
        const headers = { authorization: \`Bearer \${token}\` }
        const { api } = new Api({ baseUrl, baseApiParams: { headers } })
        const { data } = await api.getGalgame(id)
        return data.data.id
      }`,
  },
  kubb: {
    command: ['kubb', 'generate'],
    config: () => [
      'kubb.config.mjs',
      `
      import { defineConfig } from '@kubb/core'
      import { pluginClient } from '@kubb/plugin-client'
      import { pluginOas } from '@kubb/plugin-oas'
      import { pluginTs } from '@kubb/plugin-ts'
      export default defineConfig({
        root: '.',
        input: { path: ${JSON.stringify(DOCUMENT)} },
        output: { path: 'client', format: false, lint: false },
        plugins: [pluginOas({ validate: false, generators: [] }), pluginTs(), pluginClient({ client: 'fetch' })],
      })`,
    ],
    program: `
      import { getGalgame } from './client/clients/getGalgame.ts'
      export async function call(baseURL: string, token: string, id: number) {
        const headers = { authorization: \`Bearer \${token}\` }
        const { data } = await getGalgame(id, undefined, { baseURL, headers })
        return data.id
      }`,
    // Its client imports a package whose own declarations import a file without declarations.
    faults: /^\S+@kubb\/plugin-client\/dist\/clients\/fetch\.d\.ts\S+ error TS7016: .*\n$/,
  },
}

// `npm test` leaves this file out, because it installs 240 packages.
describe('a client generated from the document', () => {
  const { path, remove } = temporaryFolder('disk')
  let service: TestService
  before(async () => {
    service = await startService()
    writeFileSync(join(path, 'package.json'), '{ "private": true, "type": "module" }')
    const options = ['--ignore-scripts', '--no-audit', '--no-fund']
    execute('npm', ['install', ...options, ...PACKAGES], path)
  })
  after(async () => {
    await service?.close()
    remove()
  })

  for (const [name, generator] of Object.entries(GENERATORS))
    it(`compiles and calls the service if ${name} generates it`, async () => {
      const folder = join(path, generator.command[0] ?? '')
      const bin = join(path, 'node_modules/.bin')
      const { id, result } = await callWithGeneratedClient(service, folder, bin, generator)
      assert.equal(result, id)
    })
})
