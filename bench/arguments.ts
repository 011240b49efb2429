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

Measures what docs/performance.md claims: every row, or those that are named. Rows that were measured while the machine
had other work are marked.

--quick            short rounds, and 20,000 works instead of 1,000,000
--compare COMMIT   the same rows of another commit (a branch, a tag, HEAD~3) and of this tree as it is, by turns, round by
                   round: which moved beyond noise. The commit is checked out beside this tree, built, and gone afterwards.
                   Floors are not measured then. "--compare HEAD" shows what is not committed yet.
--catalogs FEW,MANY
                   addresses of two databases with imported catalogs, small and large, for "endpoints" to measure, which else
                   imports them itself: hours for a million works. Readers and ratings are made in those that have none, by
                   a superuser; what else is due behind requests is done first.

npm run bench -- --quick warm cold
npm run bench -- --quick --compare HEAD~1 warm

Names: ${claims.join(' ')}`
