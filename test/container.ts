import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { eventually, PlainBrowser } from '#test/browser.ts'
import { makeDebian, requirePrograms, timeStep, trustAuthorities } from '#test/debian.ts'
import { execute } from '#test/execute.ts'
import { freePort } from '#test/free-port.ts'
import { CHECKOUT, temporaryFolder } from '#test/program.ts'

/** Maximum size of the image, in bytes. */
const MAX_IMAGE_BYTES = 200_000_000
/** Time, in seconds, that the container gets to stop. */
const GRACE_SECONDS = 10

/** Commit that the image names. */
const REVISION = 'c0ffee123456'
const BASE = `localhost/mokuroku-test-base:${process.version}`
const NAME = `mokuroku-test-${process.pid}`
const IMAGE = `localhost/${NAME}`

/**
 * Options that run containers without a daemon, a registry and cgroups. The limits are explicit, because a container
 * cannot raise the limits of this machine.
 */
const ISOLATION = ['--network=host', '--ulimit=nofile=4096:4096', '--ulimit=nproc=2048:2048']
/** Options that the image must tolerate. */
const HARDENING = [
  '--read-only',
  '--tmpfs=/tmp',
  '--cap-drop=all',
  '--security-opt=no-new-privileges',
]

/**
 * Builds the image of the Dockerfile and runs it: read-only, without privileges, with the system calls that the systemd unit
 * allows. It serves, writes, stops in time, and starts again on its volume.
 */
async function tryContainer() {
  const folder = temporaryFolder('disk')
  try {
    await timeStep('Base', () => makeBase(folder.path))
    await timeStep('Build', build)
    await timeStep('Run', () => run(folder.path))
    const bytes = Number(podman('image', 'inspect', '--format={{.Size}}', IMAGE))
    assert.ok(bytes < MAX_IMAGE_BYTES, `the image has ${bytes} bytes`)
    console.log(`The container works: the image has ${Math.round(bytes / 1e6)} MB.`)
  } finally {
    spawnSync('podman', ['--runtime=runc', 'rm', '--force', '--volumes', NAME])
    spawnSync('podman', ['volume', 'rm', '--force', NAME])
    spawnSync('podman', ['rmi', '--force', IMAGE])
    folder.remove()
  }
}

/** Creates a stand-in for the base image: Debian with this Node and npm. Later runs reuse it. */
function makeBase(folder: string) {
  if (spawnSync('podman', ['image', 'exists', BASE]).status === 0) return
  const root = join(folder, 'root')
  makeDebian(root, ['binutils', 'ca-certificates', 'libatomic1', 'libstdc++6'])
  const modules = join(root, 'usr/local/lib/node_modules')
  mkdirSync(modules, { recursive: true })
  cpSync(process.execPath, join(root, 'usr/local/bin/node'))
  // npm sets the path of its command for the scripts that it runs.
  const npm = join(process.env['npm_execpath'] ?? '', '../..')
  cpSync(npm, join(modules, 'npm'), { recursive: true })
  symlinkSync('../lib/node_modules/npm/bin/npm-cli.js', join(root, 'usr/local/bin/npm'))
  const changes = trustAuthorities(root).map((variable) => `--change=ENV ${variable}`)
  const archive = join(folder, 'base.tar')
  execute('tar', ['-C', root, '-cf', archive, '.'])
  podman('import', ...changes, archive, BASE)
}

function build() {
  const npmCache = execute('npm', ['config', 'get', 'cache']).trim()
  const options = ['--isolation=chroot', '--pull-never', '--format=docker', `--tag=${IMAGE}`]
  const inputs = [`--build-arg=BASE=${BASE}`, `--build-arg=REVISION=${REVISION}`, CHECKOUT]
  execute('buildah', ['build', ...options, `--volume=${npmCache}:/root/.npm`, ...inputs])
}

async function run(folder: string) {
  const profile = join(folder, 'seccomp.json')
  writeFileSync(profile, JSON.stringify(seccompProfile()))
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const options = ['--detach', `--name=${NAME}`, `--env=PORT=${port}`, `--volume=${NAME}:/data`]
  const hardening = [...HARDENING, `--security-opt=seccomp=${profile}`]
  podman('run', ...options, ...ISOLATION, ...hardening, IMAGE, 'serve')
  await untilHealthy()
  const user = podman('exec', NAME, 'node', '-p', 'process.getuid()').trim()
  assert.equal(user, '10001')
  const version = podman('exec', NAME, 'node', '/opt/mokuroku/dist/mokuroku.js', '--version')
  assert.ok(version.endsWith(` (${REVISION})\n`), version)
  const readDemo = "fs.readFileSync('/data/demo.json', 'utf8')"
  // as: the format of the file
  const { account } = JSON.parse(podman('exec', NAME, 'node', '-p', readDemo)) as {
    account: { email: string; password: string }
  }
  const browser = new PlainBrowser(url)
  await browser.submit(await browser.get('/sign-in'), account)
  assert.ok(await isSignedIn(browser))

  const begun = performance.now()
  podman('stop', `--time=${GRACE_SECONDS}`, NAME)
  assert.ok(performance.now() - begun < GRACE_SECONDS * 1_000)
  assert.equal(podman('inspect', '--format={{.State.ExitCode}}', NAME).trim(), '0')

  podman('start', NAME)
  await untilHealthy()
  assert.ok(await isSignedIn(browser))
}

const isSignedIn = async (browser: PlainBrowser) =>
  new URL((await browser.get('/account')).url).pathname === '/account'

const untilHealthy = () =>
  eventually(
    async () => spawnSync('podman', ['--runtime=runc', 'healthcheck', 'run', NAME]).status === 0,
    'a healthy container',
  )

/** Returns a profile that allows the system calls of the unit's `SystemCallFilter`. */
function seccompProfile() {
  const groups = new Map<string, string[]>()
  for (const group of execute('systemd-analyze', ['syscall-filter']).split(/^(?=@)/m)) {
    const [name = '', ...members] = group
      .split('\n')
      .map((line) => line.trim())
      .filter((line) => line !== '' && !line.startsWith('#'))
    groups.set(name, members)
  }
  const members = (name: string): string[] => groups.get(name)?.flatMap(members) ?? [name]
  const refused = new Set(members('@privileged'))
  const names = [...members('@default'), ...members('@system-service')]
  return {
    defaultAction: 'SCMP_ACT_ERRNO',
    syscalls: [{ names: names.filter((name) => !refused.has(name)), action: 'SCMP_ACT_ALLOW' }],
  }
}

const podman = (...args: string[]) => execute('podman', ['--runtime=runc', ...args])

if (requirePrograms(['buildah', 'podman', 'runc', 'debootstrap'])) await tryContainer()
