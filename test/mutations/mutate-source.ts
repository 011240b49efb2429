import { readFileSync } from 'node:fs'
import { registerHooks } from 'node:module'
import { pathToFileURL } from 'node:url'
import type { Mutation } from './bounds.ts'

/** Loaded before a test: gives one file of `src` another text, in this process alone. */
// as: `run.ts` wrote it
const { file, from, to } = JSON.parse(process.env['MOKUROKU_MUTATION'] ?? '') as Mutation
const { href } = pathToFileURL(file)

registerHooks({
  load(url, context, nextLoad) {
    const loaded = nextLoad(url, context)
    if (url !== href) return loaded
    return { ...loaded, source: readFileSync(file, 'utf8').replace(from, () => to) }
  },
})
