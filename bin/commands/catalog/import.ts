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
Supported dumps, packed or unpacked:
${Object.values(DUMP_SOURCES).map(formsOf).join('\n')}

The path is the dump file, the folder of its tables, or a folder that contains
exactly one dump file. The format is detected from the content, not from the
name. A dump may also be a .tar file, compressed with gzip or zstd. It is read
in place; nothing is unpacked to disk.

A dump that lacks a required table is rejected, because its data would be lost;
--allow-missing names tables that may be missing or empty. Unreadable rows are
skipped and counted. A dump with more of them in one table than --max-bad-rows
is rejected.

Entries that are no longer in the dump are withdrawn: they leave the catalog,
but users keep their ratings, and the entries get the same ID if they return. A
dump that lacks tables or rows, or is imported with --part, withdraws nothing.

An import that would remove more than 5 % (and more than 5) of the entries of a
kind, or of the values of any list or field, is refused and changes nothing.
Allow all of it with --allow-shrink, or parts of it with
--allow-shrink galgame,galgame.staff.

With --pictures, missing pictures of works, volumes, people and characters are
then fetched from Bangumi's API, one per second (BANGUMI_REQUESTS_PER_MINUTE).
The first run takes days. It can be interrupted and resumed.

An import is one transaction: it takes effect completely or not at all.
Importing the same dump again changes nothing. Only one import runs at a time;
another waits for it, or exits immediately with --no-wait. The commands list and
show report the outcome of each import. The licenses of the sources apply to the
data; see NOTICE.

Exit status: 0 done, 1 failed, 2 wrong usage or settings, 3 refused because it
would remove too much (with --dry-run: would be refused), 4 another import is
running (with --no-wait).

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
    .usage('[options] <source> <path>')
    .helpCommand(false)
    .addArgument(new Argument('<source>', 'data source').choices(Object.keys(DUMP_SOURCES)))
    .argument('<path>', 'dump file or folder')
    .option(...BAD_ROWS_OPTION)
    .option(
      '--allow-missing <tables>',
      'tables that may be missing or empty, comma-separated',
      namesIn,
    )
    .option('--part', 'partial dump: tables may be missing, and nothing is withdrawn')
    .option('--pictures', 'fetch pictures from Bangumi’s API afterwards; its dump has none')
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
        throw new UsageError(
          '--pictures requires the source bangumi and cannot be combined with --dry-run.',
        )
      // Checked before the database is opened, because these errors do not concern it.
      const opened = await openSource(source, path, {
        maxBadRows,
        allowMissing: part ? 'any' : allowMissing,
      })
      try {
        const {
          value,
          lines,
          refusal,
          asked: pictureRun,
        } = await withDatabaseForImport(async (db, config) => {
          const result = await runImport(db, source, opened, options)
          return { ...result, asked: pictures ? await runPictures(db, config, options) : undefined }
        })
        print(options, pictureRun ? { ...value, pictures: pictureRun.value } : value, [
          ...lines,
          ...(pictureRun?.lines ?? []),
        ])
        if (refusal !== undefined) throw refusal
      } finally {
        await opened.close()
      }
    })
