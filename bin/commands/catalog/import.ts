import { existsSync } from 'node:fs'
import { Argument, Command } from 'commander'
import type { BadRowLimit } from '../../../src/sources/dump/bad-rows.ts'
import type { DumpSource } from '../../../src/sources/dump/dump-source.ts'
import { openSource, DUMP_SOURCES } from '../../../src/curation/sources.ts'
import {
  BAD_ROWS_OPTION,
  DRY_RUN_OPTION,
  namesIn,
  NO_WAIT_OPTION,
  SHRINK_OPTION,
} from '../../import/import-options.ts'
import { JSON_OPTION, print } from '../../print.ts'
import { runImport, type RunOptions } from '../../import/run-import.ts'
import { runPictures } from '../../import/run-pictures.ts'
import { UsageError } from '../../usage-error.ts'
import { withDatabaseForImport } from '../../with-database.ts'
import { importListCommand, importShowCommand } from './import-runs.ts'
import type { SourceName } from '../../../src/sources/registry.ts'

const formsOf = ({ source, forms }: DumpSource) =>
  `  ${source.padEnd(10)}${forms.join(`\n${' '.repeat(12)}`)}`

const HELP = `
Dumps, as they are published or unpacked:
${Object.values(DUMP_SOURCES).map(formsOf).join('\n')}

The path is the file, the folder of its tables, or a folder that contains exactly
one such file. What a file is is told by its content, not by its name; it may
also be a .tar, and packed with gzip or zstd. It is read in place: nothing is
unpacked to disk.

A dump that lacks a table it has to have is refused, for what the table would
say would be lost; --allow-missing names tables that may be missing or empty.
A row that cannot be read is left out and counted, and the dump is refused when
there are more of them in a table than --max-bad-rows.

An entry that a dump does not have any more is withdrawn: it leaves the catalog,
readers keep what they recorded of it, and it comes back with the same id when
it returns. A dump that lacks tables or rows withdraws nothing, nor does one
that is said to be a --part.

An import that would take away more than 5 % (and more than 5) of the entries of
a kind, or of what the source says in any one list or field, is refused and
changes nothing; --allow-shrink lets it, or what it names: galgame,galgame.staff

With --pictures Bangumi's API is then asked for the pictures of works, volumes,
people and characters that have none, one a second: BANGUMI_REQUESTS_PER_MINUTE.
That takes days the first time; broken off, it goes on where it was.

An import is one transaction: it happens whole or not at all. Running it again
changes nothing. One runs at a time: another waits and says for which, or ends
at once with --no-wait. What became of each, list and show tell. The data stay
under their sources' licences; NOTICE says what that asks of you.

Exit status: 0 done, 1 failed, 2 wrong usage or settings, 3 refused because it
would take away too much (--dry-run: would be refused), 4 another import is
running, with --no-wait.

Examples: mokuroku import vndb ./vndb-db-2026-11-18.tar.zst --dry-run
          mokuroku import list`

type Options = RunOptions & {
  maxBadRows?: BadRowLimit
  allowMissing?: string[]
  part?: boolean
  pictures?: boolean
}

export const importCommand = () =>
  new Command('import')
    .description('load catalog data from a dump')
    .usage('[options] <source> <path>')
    .helpCommand(false)
    .addArgument(
      new Argument('<source>', 'where the data comes from').choices(Object.keys(DUMP_SOURCES)),
    )
    .argument('<path>', 'the dump: a file, or a folder')
    .option(...BAD_ROWS_OPTION)
    .option('--allow-missing <tables>', 'tables that may be missing or empty, with commas', namesIn)
    .option('--part', 'the dump is a part: tables may be missing, and nothing is withdrawn')
    .option('--pictures', 'then ask the API of Bangumi for pictures, which its dump has none of')
    .option(...SHRINK_OPTION)
    .option(...DRY_RUN_OPTION)
    .option(...NO_WAIT_OPTION)
    .option(...JSON_OPTION)
    .addCommand(importListCommand())
    .addCommand(importShowCommand())
    .addHelpText('after', HELP)
    .action(async (source: SourceName, path: string, options: Options) => {
      if (!existsSync(path)) throw new UsageError(`${path} does not exist.`)
      const { maxBadRows, part, allowMissing = [], pictures = false } = options
      if (pictures && (source !== 'bangumi' || options.dryRun))
        throw new UsageError('--pictures is for importing bangumi, and for no dry run.')
      // Before the database, which has nothing to do with what is wrong here.
      const opened = await openSource(source, path, {
        maxBadRows,
        allowMissing: part ? 'any' : allowMissing,
      })
      try {
        const { value, lines, refusal, asked } = await withDatabaseForImport(async (db, config) => {
          const result = await runImport(db, source, opened, options)
          return { ...result, asked: pictures ? await runPictures(db, config, options) : undefined }
        })
        print(options, asked ? { ...value, pictures: asked.value } : value, [
          ...lines,
          ...(asked?.lines ?? []),
        ])
        if (refusal !== undefined) throw refusal
      } finally {
        await opened.close()
      }
    })
