import { readFileSync } from 'node:fs'

/** A query against the bundled sample, and the hit that must come first. */
export type GoldenQuery = {
  q: string
  /** Requested kinds; all if missing. */
  types?: string
  /** `galgame: CLANNAD`: the kind, and the title of the response, translated if a translation exists. */
  first: string
}

/** Queries for which the matching was tuned. */
export const GOLDEN: readonly GoldenQuery[] = readQueries('golden.txt')
/** Held-out queries. Do not tune the matching for them, or they lose their value. */
export const HELD_OUT: readonly GoldenQuery[] = readQueries('golden-apart.txt')

/**
 * Parses lines of the form `query ⇒ kind: title`, followed by ` ‖ types` unless all kinds are requested. `#` starts a
 * comment.
 */
function readQueries(file: string): GoldenQuery[] {
  return readFileSync(new URL(file, import.meta.url), 'utf8')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => {
      const [q = '', expected = ''] = line.split(' ⇒ ')
      const [first = '', types] = expected.split(' ‖ ')
      return { q, first, ...(types === undefined ? {} : { types }) }
    })
}
