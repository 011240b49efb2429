import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { parseYaml } from '@redocly/openapi-core'
import { readConfig } from '../src/config/config.ts'
import { readShellBlocks } from '#test/manual.ts'
import { CHECKOUT, temporaryFolder } from '#test/program.ts'

type Service = { environment?: Record<string, string>; secrets?: string[]; volumes?: string[] }
type Compose = {
  services: Record<string, Service>
  secrets: Record<string, { file: string }>
  volumes: Record<string, null>
}

describe('compose.yaml', () => {
  // as: the parts that the tests read
  const compose = parseYaml(readFileSync(join(CHECKOUT, 'compose.yaml'), 'utf8')) as Compose
  const { path, remove } = temporaryFolder()
  before(() => {
    const commands = readShellBlocks('### Container')
      .split('\n')
      .filter((line) => !line.startsWith('docker '))
    execFileSync('sh', ['-euc', commands.join('\n')], { cwd: path })
  })
  after(remove)

  it('finds every secret that the commands of the manual create', () => {
    for (const { file } of Object.values(compose.secrets)) assert.ok(existsSync(join(path, file)))
    const used = Object.values(compose.services).flatMap(({ secrets = [] }) => secrets)
    assert.deepEqual([...new Set(used)].toSorted(), Object.keys(compose.secrets).toSorted())
  })

  it('has valid settings', () => {
    const env = readFileSync(join(path, '.env'), 'utf8')
    const [, authUrl = ''] = /^AUTH_URL=(.*)$/m.exec(env) ?? []
    const environment = Object.fromEntries(
      Object.entries(compose.services['mokuroku']?.environment ?? {}).map(([name, value]) => [
        name,
        value
          .replace(/^\$\{AUTH_URL:.*\}$/, authUrl)
          .replace(/^\/run\/secrets\/(.*)$/, (_, secret: string) =>
            join(path, compose.secrets[secret]?.file ?? ''),
          ),
      ]),
    )
    const config = readConfig(environment)
    assert.equal(config.authUrl, authUrl)
    assert.match(
      config.databaseUrl ?? '',
      /^postgres:\/\/mokuroku:[0-9a-f]{48}@postgres\/mokuroku$/,
    )
    assert.ok(config.secretKey)
    const password = readFileSync(join(path, 'secrets/database_password'), 'utf8').trim()
    assert.ok(config.databaseUrl?.includes(password))
  })

  it('mounts only volumes that it declares, and files that exist', () => {
    for (const { volumes = [] } of Object.values(compose.services))
      for (const [source = ''] of volumes.map((volume) => volume.split(':')))
        assert.ok(
          source.startsWith('./') ? existsSync(join(CHECKOUT, source)) : source in compose.volumes,
          source,
        )
  })

  it('has valid settings with a bucket', () => {
    // as: the parts that the test reads
    const { services, secrets } = parseYaml(
      readFileSync(join(CHECKOUT, 'examples/compose.bucket.yaml'), 'utf8'),
    ) as Compose
    const { environment = {}, secrets: used = [] } = services['mokuroku'] ?? {}
    assert.deepEqual(used, Object.keys(secrets))
    writeFileSync(join(path, 'secret'), 'the secret key\n')
    const given: Record<string, string> = {
      BUCKET_URL: 'https://s3.example.org/bucket',
      BUCKET_ACCESS_KEY: 'key',
      BUCKET_SECRET_KEY_FILE: join(path, 'secret'),
    }
    const { bucket } = readConfig(
      Object.fromEntries(
        Object.entries(environment).map(([name, value]) => [
          name,
          given[name] ?? value.replace(/^\$\{\w+:-(.*)\}$/, '$1'),
        ]),
      ),
    )
    assert.deepEqual(bucket, {
      url: 'https://s3.example.org/bucket',
      prefix: '',
      region: 'us-east-1',
      accessKey: 'key',
      secretKey: 'the secret key',
      contents: ['pictures', 'backups'],
    })
  })
})
