#!/usr/bin/env node
import { join } from 'node:path'
import { BUILT, isBuilt, ROOT } from './built.ts'
import { restartWithServingOptions } from './serving-options.ts'

/** Commands that run long enough for their memory to matter. */
const LONG_RUNNING = new Set<string | undefined>(['serve', 'import', 'update'])

const [major = 0] = process.versions.node.split('.').map(Number)
if (major < 26) {
  console.error(
    `mokuroku runs on Node 26 or newer, and this is ${process.version}. ` +
      'Start it with npx, which takes the Node that mokuroku brings along, or install a newer one.',
  )
  process.exitCode = 1
} else {
  if (LONG_RUNNING.has(process.argv[2])) restartWithServingOptions()
  // What one start has compiled the next ones take as it is, which spares them a quarter of their time. Beside the packages
  // and not in a folder for everybody; where that is not writable there is none.
  const { enableCompileCache } = await import('node:module')
  enableCompileCache(join(ROOT, 'node_modules/.cache/mokuroku'))
  // The sources as they are while somebody works on them; else what was made of them (decision 0001).
  const program = isBuilt() ? join(BUILT, 'run.js') : join(ROOT, 'bin/run.ts')
  // as: the same program either way
  const { run } = (await import(program)) as typeof import('./run.ts')
  process.exitCode = await run(process.argv.slice(2))
}
