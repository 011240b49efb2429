import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { get } from 'node:https'
import { once } from 'node:events'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { makeDebian, requirePrograms, timeStep, trustAuthorities } from '#test/debian.ts'
import { eventually } from '#test/browser.ts'
import { execute } from '#test/execute.ts'
import { readShellBlocks } from '#test/manual.ts'
import { CHECKOUT, startProgram, temporaryFolder, type Program } from '#test/program.ts'

/** Time, in minutes, in which a newcomer gets from a fresh Debian installation to https. */
const MAX_MINUTES = 10

const NAME = 'catalog.example.org'
const SERVICE = 'mokuroku.service'
/** User of the service, as `DynamicUser=` would assign one. */
const USER = '65534:65534'

/** Environment of a root shell. */
const ROOT_ENVIRONMENT = [
  'HOME=/root',
  'PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
]

/** Records the commands, because no systemd runs in the folder. The test then does what the unit states. */
const SYSTEMCTL = '#!/bin/sh\necho "$@" >> /systemctl.log\n'

/**
 * Runs the commands of the manual's section on Debian as they are written, in a fresh Debian installation, with the
 * package of this checkout. Then starts the service as its unit does, and Caddy with its own certificate authority.
 */
async function tryInstallation() {
  const { path, remove } = temporaryFolder('disk')
  const root = join(path, 'root')
  const running: Program[] = []
  const inRoot = (command: string[], options: string[] = []) =>
    startProgram(['chroot', ...options, root, ...command])
  try {
    await timeStep('Debian', () => makeDebian(root))
    writeFileSync(join(root, 'usr/local/bin/systemctl'), SYSTEMCTL, { mode: 0o755 })
    const file = execute('npm', ['pack', '--silent', '--pack-destination', path], CHECKOUT).trim()
    cpSync(join(path, file), join(root, file))

    const begun = performance.now()
    const script = readShellBlocks('### Debian with systemd')
    execute('mount', ['-t', 'proc', 'proc', join(root, 'proc')])
    const environment = [...ROOT_ENVIRONMENT, ...trustAuthorities(root)]
    await timeStep('Commands', () =>
      execute('env', ['-i', ...environment, 'chroot', root, 'sh', '-eu', '-c', script]),
    )
    assert.equal(
      readFileSync(join(root, 'systemctl.log'), 'utf8'),
      'daemon-reload\nenable --now mokuroku\nrestart caddy\n',
    )

    const unit = prepareUnit(root)
    running.push(
      inRoot(
        ['env', '-i', 'PATH=/usr/bin:/bin', ...unit.environment, ...unit.command],
        [`--userspec=${USER}`],
      ),
    )
    const caddyfile = join(root, 'etc/caddy/Caddyfile')
    writeFileSync(
      caddyfile,
      `{\nlocal_certs\nskip_install_trust\n}\n${readFileSync(caddyfile, 'utf8')}`,
    )
    running.push(
      inRoot([
        'env',
        '-i',
        ...ROOT_ENVIRONMENT,
        'caddy',
        'run',
        '--config',
        '/etc/caddy/Caddyfile',
      ]),
    )
    await timeStep('Start', () =>
      eventually(() => isReady(root).catch(() => false), 'a ready service behind https'),
    )
    const minutes = (performance.now() - begun) / 60_000
    assert.ok(minutes < MAX_MINUTES, `it took ${minutes} minutes`)
    console.log(`The manual works: https after ${minutes.toFixed(1)} minutes.`)
  } catch (error) {
    for (const program of running) console.error(program.output(), program.errors())
    throw error
  } finally {
    await Promise.all(running.map((program) => program.end('SIGTERM')))
    spawnSync('umount', [join(root, 'proc')])
    remove()
  }
}

/** Prepares credentials and folders like systemd. */
function prepareUnit(root: string): { environment: string[]; command: string[] } {
  const unit = readFileSync(join(root, 'etc/systemd/system', SERVICE), 'utf8')
  const valuesOf = (name: string) =>
    [...unit.matchAll(new RegExp(`^${name}=(.*)$`, 'gm'))].map(([, value = '']) =>
      value.replaceAll('%S', '/var/lib').replaceAll('%d', credentials),
    )
  const credentials = `/run/credentials/${SERVICE}`
  mkdirSync(join(root, credentials), { recursive: true })
  for (const [name = '', file = ''] of valuesOf('LoadCredential').map((value) => value.split(':')))
    cpSync(join(root, file), join(root, credentials, name))
  for (const name of valuesOf('StateDirectory')) mkdirSync(join(root, 'var/lib', name))
  execute('chown', ['-R', USER, join(root, credentials), join(root, 'var/lib/mokuroku')])
  const files = valuesOf('EnvironmentFile').map((file) => readFileSync(join(root, file), 'utf8'))
  const [start = ''] = valuesOf('ExecStart')
  return {
    environment: [...valuesOf('Environment'), ...files.flatMap((file) => file.trim().split('\n'))],
    command: start.split(' '),
  }
}

/** Requests the service by its host name, and trusts only Caddy's certificate authority. */
async function isReady(root: string): Promise<boolean> {
  const authority = 'root/.local/share/caddy/pki/authorities/local/root.crt'
  const [response] = await once(
    get(`https://127.0.0.1/health/ready`, {
      agent: false,
      servername: NAME,
      headers: { host: NAME },
      ca: readFileSync(join(root, authority)),
    }),
    'response',
  )
  return response.statusCode === 200 && (await text(response)).includes('"status":"ok"')
}

if (requirePrograms(['debootstrap'])) await tryInstallation()
