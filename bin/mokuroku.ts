#!/usr/bin/env node
import { enableCompileCache } from 'node:module'
import { join } from 'node:path'
import { BUILT, isBuilt } from './built.ts'

// What one start has compiled the next ones take as it is, which spares them a quarter of their time. Beside the packages
// and not in a folder for everybody; where that is not writable there is none.
enableCompileCache(join(import.meta.dirname, '../node_modules/.cache/mokuroku'))

// The sources as they are while somebody works on them; else what was made of them (decision 0001).
const program = isBuilt() ? join(BUILT, 'run.js') : './run.ts'
// as: the same program either way
const { run } = (await import(program)) as typeof import('./run.ts')

process.exitCode = await run(process.argv.slice(2))
