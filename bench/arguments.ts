import { parseArgs } from 'node:util'
import type { GivenCatalogs } from './support/stage.ts'

export type BenchOptions = {
  quick: boolean
  /** Commit to compare with, in any form that git accepts. */
  compare: string | undefined
  /** URLs of databases to measure, instead of generated ones. */
  catalogs: GivenCatalogs | undefined
  /** Names of the claims to measure, in any order. Empty means all. */
  names: string[]
}

/**
 * Parses the command line.
 *
 * @returns the options or an error message; undefined if help was requested
 */
export function parseArguments(
  args: string[],
  claims: string[],
): BenchOptions | { complaint: string } | undefined {
  let parsed
  try {
    parsed = parseArgs({
      args,
      allowPositionals: true,
      options: {
        quick: { type: 'boolean' },
        help: { type: 'boolean' },
        compare: { type: 'string' },
        catalogs: { type: 'string' },
      },
    })
  } catch (error) {
    return { complaint: error instanceof Error ? error.message : String(error) }
  }
  const { values, positionals: names } = parsed
  if (values.help) return undefined
  const unknown = names.filter((name) => !claims.includes(name))
  if (unknown.length > 0) return { complaint: `No row is called ${unknown.join(', ')}.` }
  if (values.compare === '') return { complaint: '--compare takes a commit.' }
  const catalogs = values.catalogs?.split(',')
  const [few, many, ...others] = catalogs ?? []
  if (catalogs && (!few || !many || others.length > 0))
    return { complaint: '--catalogs takes two addresses.' }
  if (catalogs && values.compare !== undefined)
    return { complaint: '--catalogs and --compare exclude each other.' }
  return {
    quick: values.quick ?? false,
    compare: values.compare,
    catalogs: few && many ? { few, many } : undefined,
    names,
  }
}

export const usage = (
  claims: string[],
) => `Usage: npm run bench [-- [--quick] [--compare COMMIT | --catalogs FEW,MANY] [NAME …]]

Measures the figures of docs/performance.md: all rows, or the named ones. Rows measured while other programs used the
machine are marked.

--quick            short rounds, and 20,000 works instead of 1,000,000
--compare COMMIT   measures the same rows of another commit (a branch, a tag, HEAD~3) and of the working tree in turn, and
                   reports which differ by more than the noise. The commit is checked out next to the tree, built, and
                   deleted afterwards. Floors are not measured. "--compare HEAD" shows the effect of uncommitted changes.
--catalogs FEW,MANY
                   URLs of two databases with imported catalogs, small and large, for "endpoints". Without them, the bench
                   imports them itself, which takes hours for a million works. Users and ratings are created, by a
                   superuser, in databases that have none, and pending background work is done first.

npm run bench -- --quick warm cold
npm run bench -- --quick --compare HEAD~1 warm

Names: ${claims.join(' ')}`
