import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Children } from '../support/children.ts'
import { OWN_ROOT } from '../support/service.ts'

/** A worktree of another commit with its packages and build. Always removed at the end. */
export class Checkout {
  readonly #folder = mkdtempSync(join(tmpdir(), 'mokuroku-compare-'))
  readonly root = join(this.#folder, 'tree')
  readonly #children: Children

  constructor(children: Children) {
    this.#children = children
  }

  /**
   * @param ref a commit in any form that git accepts
   *
   * @returns its short name
   * @throws {Error} with the message of git, npm or the build
   */
  async prepare(ref: string): Promise<string> {
    const git = (...args: string[]) => this.#children.run(['git', '-C', OWN_ROOT, ...args])
    const commit = (
      await git('rev-parse', '--verify', '--end-of-options', `${ref}^{commit}`)
    ).trim()
    await git('worktree', 'add', '--detach', this.root, commit)
    if (this.#hasSame('package-lock.json')) {
      for (const folder of ['node_modules', 'sdk/node_modules'])
        symlinkSync(join(OWN_ROOT, folder), join(this.root, folder))
    } else {
      console.error(`${ref} has other packages: npm ci …`)
      // The package registry and the certificates depend on the machine.
      await this.#children.run(
        ['npm', 'ci', '--no-audit', '--no-fund', '--prefix', this.root],
        process.env,
      )
    }
    // Commits without a build run from their source files.
    await this.#children.run(['npm', 'run', 'build', '--if-present', '--prefix', this.root])
    return (await git('rev-parse', '--short', commit)).trim()
  }

  /** True if both trees have the same schema, so that their databases can have the same contents. */
  hasSameSchema(): Promise<boolean> {
    const [current, other] = [OWN_ROOT, this.root].map((root) => join(root, 'migrations'))
    // Status 1 means a difference.
    return this.#children.run(['diff', '-rq', current ?? '', other ?? '']).then(
      () => true,
      () => false,
    )
  }

  /** May be called at any time and more than once. Also removes the worktree from git. */
  remove() {
    const git = (...args: string[]) => spawnSync('git', ['-C', OWN_ROOT, 'worktree', ...args])
    if (existsSync(this.root)) git('remove', '--force', '--force', this.root)
    rmSync(this.#folder, { recursive: true, force: true })
    git('prune')
  }

  #hasSame(file: string): boolean {
    const [current, other] = [OWN_ROOT, this.root].map((root) =>
      readFileSync(join(root, file), 'utf8'),
    )
    return current === other
  }
}
