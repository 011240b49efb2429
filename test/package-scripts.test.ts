import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { CHECKOUT } from '#test/program.ts'

// as: the fields of this manifest
const { scripts, dependencies, optionalDependencies, devDependencies } = JSON.parse(
  readFileSync(join(CHECKOUT, 'package.json'), 'utf8'),
) as Record<
  'scripts' | 'dependencies' | 'optionalDependencies' | 'devDependencies',
  Record<string, string>
>

/** Commands that npm finds on every system: itself, Node, and those of installed packages. */
const COMMANDS = new Set([
  'npm',
  'node',
  ...Object.keys(devDependencies).flatMap((name) => {
    // as: the fields of a manifest
    const manifest = JSON.parse(
      readFileSync(join(CHECKOUT, 'node_modules', name, 'package.json'), 'utf8'),
    ) as { bin?: string | Record<string, string> }
    return typeof manifest.bin === 'string' ? [name] : Object.keys(manifest.bin ?? {})
  }),
])

/** Words without characters that sh or cmd.exe interpret, and without absolute paths. */
const PLAIN_WORD = /^(?![/.]\/)[\w.:=@/-]+$/

describe('package.json', () => {
  it('has scripts that run on every system, with package commands and no shell feature except &&', () => {
    for (const [name, script] of Object.entries(scripts))
      for (const command of script.split(' && ')) {
        const [program = '', ...args] = command.split(' ')
        assert.ok(COMMANDS.has(program), `${name}: ${program} is not a command of a package`)
        for (const word of args) assert.match(word, PLAIN_WORD, `${name}: ${word}`)
      }
  })

  it('installs the same Node version on each platform without an install script', () => {
    const versions = new Set(Object.values(optionalDependencies))
    assert.equal(versions.size, 1)
    // as: npm's lockfile
    const { packages } = JSON.parse(readFileSync(join(CHECKOUT, 'package-lock.json'), 'utf8')) as {
      packages: Record<string, { version: string; hasInstallScript?: true; os?: string }>
    }
    const locked = Object.keys(optionalDependencies).map((name) => packages[`node_modules/${name}`])
    assert.equal(new Set(locked.map((entry) => entry?.version)).size, 1)
    for (const entry of locked) assert.ok(entry?.os && !entry.hasInstallScript)
    for (const name of Object.keys(dependencies))
      assert.equal(packages[`node_modules/${name}`]?.hasInstallScript, undefined, name)
  })
})
