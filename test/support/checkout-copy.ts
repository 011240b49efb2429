import { execFileSync } from 'node:child_process'
import { appendFileSync, cpSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { CHECKOUT, isolatedEnvironment, temporaryFolder } from './program.ts'

/** Folders that a copy leaves out. */
const LEFT_OUT = new Set(['.git', 'node_modules', 'data', 'release'])

const IDENTITY = {
  GIT_AUTHOR_NAME: 'Test',
  GIT_AUTHOR_EMAIL: 'test@example.org',
  GIT_COMMITTER_NAME: 'Test',
  GIT_COMMITTER_EMAIL: 'test@example.org',
}

/** Copies the checkout, with its current files and an unreleased change as the only commit of a new repository. */
export function copyCheckout() {
  const { path, remove } = temporaryFolder('disk')
  const environment = isolatedEnvironment(IDENTITY)
  const git = (...args: string[]) =>
    execFileSync('git', args, { cwd: path, encoding: 'utf8', env: environment }).trim()
  cpSync(CHECKOUT, path, {
    recursive: true,
    preserveTimestamps: true,
    filter: (source) => !LEFT_OUT.has(relative(CHECKOUT, source)),
  })
  symlinkSync(join(CHECKOUT, 'node_modules'), join(path, 'node_modules'))
  const changelog = join(path, 'CHANGELOG.md')
  writeFileSync(
    changelog,
    readFileSync(changelog, 'utf8').replace(
      '## Unreleased\n',
      '## Unreleased\n\n### Changed\n\n- A change.\n',
    ),
  )
  git('init', '--quiet')
  // .gitignore names a folder, and this is a link.
  appendFileSync(join(path, '.git/info/exclude'), 'node_modules\n')
  git('add', '--all')
  git('commit', '--quiet', '--no-gpg-sign', '--message', 'test: copy the checkout')
  return { path, git, environment, remove }
}
