#!/usr/bin/env node
import { enableCompileCache } from 'node:module'
import { fileURLToPath } from 'node:url'

// What one start has compiled the next ones take as it is, which spares them a quarter of their time. Beside the packages
// and not in a folder for everybody; where that is not writable there is none.
enableCompileCache(fileURLToPath(new URL('../node_modules/.cache/mokuroku', import.meta.url)))

const { run } = await import('./run.ts')

process.exitCode = await run(process.argv.slice(2))
