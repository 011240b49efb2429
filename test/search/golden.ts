import { readFileSync } from 'node:fs'

/** A query over the bundled sample, and the hit that must come first. */
export type GoldenQuery = {
  q: string
  /** The kinds asked for; all where it is missing. */
  types?: string
  /** `galgame: CLANNAD`: the kind, and the title as it is answered, translated where there is a translation. */
  first: string
}

/** Queries the matching is made for. */
export const GOLDEN: readonly GoldenQuery[] = readQueries('golden.txt')
/** Queries nothing is changed for: what they say is worth as much as they are left alone. */
export const GOLDEN_APART: readonly GoldenQuery[] = readQueries('golden-apart.txt')

/** Lines `query ⇒ kind: title`, with ` ‖ types` where not all kinds are asked for; `#` begins a remark. */
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
