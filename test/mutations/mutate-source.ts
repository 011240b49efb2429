import { readFileSync } from 'node:fs'
import { registerHooks } from 'node:module'
import { pathToFileURL } from 'node:url'
import type { Mutation } from './bounds.ts'

/** Preloaded by a test process: replaces the text of one file of `src`, in this process only. */
// as: written by `run.ts`
const { file, from, to } = JSON.parse(process.env['MOKUROKU_MUTATION'] ?? '') as Mutation
const { href } = pathToFileURL(file)

registerHooks({
  load(url, context, nextLoad) {
    const loaded = nextLoad(url, context)
    if (url !== href) return loaded
    return { ...loaded, source: readFileSync(file, 'utf8').replace(from, () => to) }
  },
})
