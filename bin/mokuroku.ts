#!/usr/bin/env node
import { join } from 'node:path'
import { BUILT, isBuilt, ROOT } from './built.ts'
import { findBundledNode, runWith } from './process/bundled-node.ts'
import { restartWithServingOptions } from './serving-options.ts'

/** Commands that run long enough for their memory use to matter. */
const LONG_RUNNING = new Set(['serve', 'import', 'update', 'backup', 'restore'])

const [major = 0] = process.versions.node.split('.').map(Number)
const node = major < 26 ? findBundledNode() : undefined
if (node) runWith(node)
else if (major < 26) {
  console.error(
    `mokuroku requires Node 26 or newer; this is ${process.version}, and no Node is installed with the package. ` +
      'Install a newer Node, or reinstall with optional dependencies.',
  )
  process.exitCode = 1
} else {
  const [, , command = ''] = process.argv
  if (LONG_RUNNING.has(command)) restartWithServingOptions(command)
  // Later starts reuse the compiled code, which saves a quarter of their time. The cache is next to the packages
  // rather than in a shared folder. If its folder is not writable, there is no cache.
  const { enableCompileCache } = await import('node:module')
  enableCompileCache(join(ROOT, 'node_modules/.cache/mokuroku'))
  // Runs the TypeScript files if they are newer than the build (decision 0001).
  const program = isBuilt() ? join(BUILT, 'run.js') : join(ROOT, 'bin/run.ts')
  // as: both modules are the same program
  const { run } = (await import(program)) as typeof import('./run.ts')
  process.exitCode = await run(process.argv.slice(2))
}
