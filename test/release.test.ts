import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { checkVersion, cutChangelog, imageTags, publishCommands } from '../build/release-plan.ts'
import { copyCheckout } from '#test/checkout-copy.ts'
import { startProgram } from '#test/program.ts'

describe('the version of a release', () => {
  for (const version of [
    '1.0',
    'v1.0.1',
    '1.0.1+build',
    '01.0.1',
    'latest',
    '1.0.0',
    '0.9.9',
    '1.0.0-rc.1',
  ])
    it(`is refused after 1.0.0: ${version}`, () => {
      assert.throws(() => checkVersion(version, '1.0.0'), { name: 'ReleaseError' })
    })

  for (const version of ['1.0.1', '1.1.0', '2.0.0', '1.0.1-rc.1'])
    it(`is accepted after 1.0.0: ${version}`, () => checkVersion(version, '1.0.0'))
})

describe('cutChangelog', () => {
  const cut = (text: string) => cutChangelog(text, '1.1.0', '2027-01-02')

  it('moves the Unreleased section to the version, and starts an empty one', () => {
    const text =
      '# Changelog\n\n## Unreleased\n\n### Added\n\n- $& one.\n\n## 1.0.0 - 2026-12-01\n\n- Zero.\n'
    assert.deepEqual(cut(text), {
      notes: '### Added\n\n- $& one.',
      text: text.replace('## Unreleased\n', () => '## Unreleased\n\n## 1.1.0 - 2027-01-02\n'),
    })
    assert.equal(cut('## Unreleased\n\n- Last.\n').notes, '- Last.')
  })

  for (const text of [
    '# Changelog\n\n## 1.0.0 - 2026-12-01\n\n- Zero.\n',
    '## Unreleased\n\n## 1.0.0 - 2026-12-01\n\n- Zero.\n',
    '## Unreleased\n\n### Added\n\n## 1.0.0 - 2026-12-01\n\n- Zero.\n',
    '## Unreleased\n',
  ])
    it(`refuses a changelog that lists nothing: ${JSON.stringify(text)}`, () => {
      assert.throws(() => cut(text), { name: 'ReleaseError' })
    })
})

describe('a version', () => {
  for (const [version, tags] of [
    ['1.0.0', '1.0.0 1.0 1 latest'],
    ['1.12.3', '1.12.3 1.12 1 latest'],
    ['0.2.0', '0.2.0 0.2 latest'],
    ['2.0.0-rc.1', '2.0.0-rc.1'],
  ] as const)
    it(`has image tags, for example ${version}: ${tags}`, () =>
      assert.equal(imageTags(version).join(' '), tags))

  it('is not published as the latest package if it is a prerelease', () => {
    const npm = (version: string) =>
      publishCommands(version, { commit: 'c', folder: `release/${version}` })[1]
    assert.equal(npm('1.0.0'), 'npm publish ./release/1.0.0/mokuroku-1.0.0.tgz')
    assert.match(npm('1.0.0-rc.1') ?? '', / --tag next$/)
  })
})

describe('npm run release', () => {
  let copy: ReturnType<typeof copyCheckout>
  let head: string
  before(() => {
    copy = copyCheckout()
    head = copy.git('rev-parse', 'HEAD')
  })
  after(() => copy.remove())

  const release = (args: string[], environment = {}) =>
    startProgram([process.execPath, 'build/release.ts', ...args], {
      cwd: copy.path,
      environment: { ...copy.environment, ...environment },
    }).ended
  const assertUntouched = () => {
    assert.equal(copy.git('status', '--porcelain'), '')
    assert.equal(copy.git('rev-parse', 'HEAD'), head)
    assert.equal(copy.git('tag', '--list', 'v99*'), '')
  }
  const change = (file: string, text: string) => {
    const path = join(copy.path, file)
    const original = readFileSync(path, 'utf8')
    writeFileSync(path, text)
    return () => writeFileSync(path, original)
  }

  it('shows everything with --dry-run, and changes nothing', async () => {
    const { status, output, errors } = await release(['99.1.0', '--dry-run'])
    assert.deepEqual({ status, errors }, { status: 0, errors: '' })
    for (const expected of [
      /^## 99\.1\.0 - \d{4}-\d\d-\d\d\n\n### \w+\n\n- /,
      /^Tag +v99\.1\.0$/m,
      /^Images +99\.1\.0 99\.1 99 latest$/m,
      /^npm publish /m,
    ])
      assert.match(output, expected)
    assertUntouched()
  })

  it('refuses a version that is not higher, and one that is tagged', async () => {
    assert.match((await release(['0.0.1'])).errors, /^0\.0\.1 must be higher than .*\.\n$/)
    copy.git('tag', 'v98.0.0')
    const tagged = await release(['98.0.0'])
    assert.deepEqual([tagged.status, tagged.errors], [1, 'The tag v98.0.0 exists.\n'])
    assertUntouched()
  })

  it('refuses a checkout with changed or new files', async () => {
    const restore = change('README.md', 'changed')
    const { status, errors } = await release(['99.1.0'])
    restore()
    assert.equal(status, 1)
    assert.match(errors, /^The checkout has changes\./)
    assertUntouched()
  })

  it('restores the checkout if a step fails', async () => {
    // The fixture is made in a temporary folder.
    const { status } = await release(['99.1.0'], { TMPDIR: '/nonexistent' })
    assert.equal(status, 1)
    assertUntouched()
  })

  it('prints its usage without a version', async () => {
    const { status, errors } = await release([])
    assert.equal(status, 2)
    assert.match(errors, /^Usage: npm run release -- VERSION/)
  })
})
