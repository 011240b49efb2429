import { execFileSync } from 'node:child_process'
import { hash } from 'node:crypto'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { ROOT } from '../bin/built.ts'
import { buildProgram } from './build.ts'
import {
  checkVersion,
  cutChangelog,
  imageTags,
  publishCommands,
  ReleaseError,
} from './release-plan.ts'
import { makeSbom } from './sbom.ts'

const USAGE = `Usage: npm run release -- VERSION [--dry-run]

Makes a release from a clean checkout, and publishes nothing: version, changelog
section and fixture for the upgrade tests as a commit and a tag; package, SBOM,
checksums, release notes and image tags in release/VERSION.`

const pathOf = (file: string) => join(ROOT, file)

const git = (...args: string[]) => execFileSync('git', args, { cwd: ROOT, encoding: 'utf8' }).trim()

/** @throws {ReleaseError} if the release is refused; nothing has changed then */
async function makeRelease(version: string, isDryRun: boolean) {
  if (git('status', '--porcelain') !== '')
    throw new ReleaseError('The checkout has changes. Commit or discard them.')
  const changelog = await readFile(pathOf('CHANGELOG.md'), 'utf8')
  const manifest = await readFile(pathOf('package.json'), 'utf8')
  // as: every manifest has a version
  const { version: last } = JSON.parse(manifest) as { version: string }
  checkVersion(version, last)
  if (git('tag', '--list', `v${version}`) !== '')
    throw new ReleaseError(`The tag v${version} exists.`)
  const now = new Date()
  const { notes, text } = cutChangelog(changelog, version, now.toISOString().slice(0, 10))
  const folder = `release/${version}`
  const fixture = `test/releases/${version}.tar.zst`
  const document = `test/releases/${version}.openapi.json.zst`
  const plan = [
    `## ${version} - ${now.toISOString().slice(0, 10)}\n\n${notes}\n`,
    `Commit  release: ${version} (CHANGELOG.md, package.json, package-lock.json, ${fixture}, ${document})`,
    `Tag     v${version}`,
    `Images  ${imageTags(version).join(' ')}`,
    `Files   ${Object.values(filesOf(version)).join(' ')} SHA256SUMS, in ${folder}`,
  ]
  console.log(plan.join('\n'))
  if (isDryRun) {
    const commands = publishCommands(version, { commit: 'COMMIT', folder })
    console.log(`\nNothing has changed. These commands would publish it:\n\n${commands.join('\n')}`)
    return
  }
  const head = git('rev-parse', 'HEAD')
  const undo = () => git('reset', '--quiet', '--hard', head)
  const stop = () => {
    undo()
    process.exit(130)
  }
  process.once('SIGINT', stop)
  try {
    await writeFile(pathOf('CHANGELOG.md'), text)
    await writeFile(pathOf('package.json'), withVersion(manifest, last, version))
    const lock = await readFile(pathOf('package-lock.json'), 'utf8')
    // The root is named twice, at the beginning.
    const bumped = withVersion(withVersion(lock, last, version), last, version)
    await writeFile(pathOf('package-lock.json'), bumped)
    execFileSync(process.execPath, [pathOf('test/releases/make-fixture.ts'), pathOf(fixture)], {
      cwd: ROOT,
      stdio: 'inherit',
    })
    git('add', 'CHANGELOG.md', 'package.json', 'package-lock.json', fixture, document)
    // The branch moves when everything has been made.
    const message = `release: ${version}`
    const commit = git('commit-tree', git('write-tree'), '-p', head, '-m', message)
    await writeArtifacts(version, { commit, notes, folder })
    git('update-ref', '-m', message, 'HEAD', commit, head)
    git('tag', '--annotate', '--message', `mokuroku ${version}`, `v${version}`, commit)
    const commands = publishCommands(version, { commit: commit.slice(0, 12), folder })
    console.log(`\nMade ${folder}. To publish it:\n\n${commands.join('\n')}`)
  } catch (error) {
    undo()
    throw error
  } finally {
    process.off('SIGINT', stop)
  }
}

/** @throws {ReleaseError} if the text does not have the version where it is expected */
function withVersion(json: string, last: string, version: string) {
  const line = `"version": "${last}"`
  if (!json.includes(line)) throw new ReleaseError(`package-lock.json lacks the version ${last}.`)
  return json.replace(line, `"version": "${version}"`)
}

const filesOf = (version: string) => ({
  package: `mokuroku-${version}.tgz`,
  sbom: `mokuroku-${version}.cdx.json`,
  notes: `mokuroku-${version}.md`,
  tags: 'image-tags.txt',
})

type Release = Record<'commit' | 'notes' | 'folder', string>

/** Builds the program and writes the files of a release. */
async function writeArtifacts(version: string, { commit, notes, folder }: Release) {
  const metafile = await buildProgram(commit.slice(0, 12))
  const output = pathOf(folder)
  await rm(output, { recursive: true, force: true })
  await mkdir(output, { recursive: true })
  const files = filesOf(version)
  const other = await mkdtemp(join(tmpdir(), 'mokuroku-pack-'))
  try {
    for (const place of [output, other]) pack(place)
    const [first, second] = await Promise.all(
      [output, other].map((place) => readFile(join(place, files.package), 'base64')),
    )
    if (first !== second) throw new Error('Packing twice gave different packages.')
  } finally {
    await rm(other, { recursive: true, force: true })
  }
  const time = new Date(git('show', '--no-patch', '--format=%cI', commit))
  await writeFile(join(output, files.sbom), makeSbom(metafile, time))
  await writeFile(join(output, files.notes), `${notes}\n`)
  await writeFile(join(output, files.tags), `${imageTags(version).join('\n')}\n`)
  const sums = await Promise.all(
    Object.values(files).map(
      async (file) => `${hash('sha256', await readFile(join(output, file)), 'hex')}  ${file}\n`,
    ),
  )
  await writeFile(join(output, 'SHA256SUMS'), sums.join(''))
}

/** Packs the package into a folder. npm gives all files the same time. */
const pack = (folder: string) =>
  execFileSync(
    'npm',
    ['pack', '--silent', '--ignore-scripts', '--workspaces=false', '--pack-destination', folder],
    { cwd: ROOT },
  )

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { 'dry-run': { type: 'boolean', default: false } },
})
const [version] = positionals
if (version === undefined || positionals.length > 1) {
  console.error(USAGE)
  process.exitCode = 2
} else
  await makeRelease(version, values['dry-run']).catch((error: unknown) => {
    if (!(error instanceof ReleaseError)) throw error
    console.error(error.message)
    process.exitCode = 1
  })
