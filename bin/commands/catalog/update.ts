import { join } from 'node:path'
import { Argument, Command } from 'commander'
import { readConfig, type Config } from '../../../src/config/config.ts'
import { dumpUrlSetting } from '../../../src/config/source-settings.ts'
import type { Database } from '../../../src/db/database.ts'
import type { BadRowLimit } from '../../../src/sources/dump/bad-rows.ts'
import { Dependencies } from '../../../src/sources/dump/dependencies.ts'
import { DumpError } from '../../../src/sources/dump/dump-error.ts'
import {
  DOWNLOAD_LIMITS,
  fetchDump,
  discardFetched,
} from '../../../src/sources/fetch/fetch-dump.ts'
import { findLastDone } from '../../../src/curation/runs/list-queries.ts'
import { notifyFailedUpdate } from '../../../src/curation/runs/notify-failed-update.ts'
import { recordFailedRun } from '../../../src/curation/runs/queries.ts'
import { DUMP_SOURCES, openSource, type OpenSource } from '../../../src/curation/sources.ts'
import { isUpToDate } from '../../../src/curation/unchanged-dump.ts'
import { explainFailure } from '../../explain-failure.ts'
import { Failure } from '../../failure.ts'
import {
  BAD_ROWS_OPTION,
  DRY_RUN_OPTION,
  NO_WAIT_OPTION,
  SHRINK_OPTION,
} from '../../import/import-options.ts'
import { showProgress } from '../../import/import-progress.ts'
import { JSON_OPTION, print } from '../../print.ts'
import { runImport, type RunOptions, type RunResult } from '../../import/run-import.ts'
import { withDatabase, withDatabaseForImport } from '../../with-database.ts'
import type { SourceName } from '../../../src/sources/registry.ts'

const SOURCES = Object.values(DUMP_SOURCES).map(({ source }) => source)

const HELP = `
Downloads the newest dump of each source, and imports it if it is new. A dump
that was imported before is imported again if the result would differ now: after
an upgrade, once a date in it has passed, or when data that its records depend
on has changed. Without arguments, all sources are updated. Interrupted
downloads are resumed.

Checksums are verified if the source publishes them, as FILE.sha256 or through
GitHub. The folder keeps the last dump of each source, to detect a newer one;
older dumps are deleted. The URLs are settings:
${new Intl.ListFormat('en-GB').format(SOURCES.map(dumpUrlSetting))}.
MAX_DUMP_MIB limits the size of a dump.

If one source fails, the others are still updated. Exit status: 0 done or
nothing new, 1 failed, 2 wrong usage or settings, 3 refused because it would
remove too much, 4 another import is running (with --no-wait). With several
sources, the first status other than 0 is used.

Without a terminal, as in cron, the administrators get an email when an update
fails or is refused, and no more until it succeeds or ends differently.

In cron, every Thursday at six: 0 6 * * 4 mokuroku update`

type Options = RunOptions & { folder?: string; maxBadRows?: BadRowLimit }
type Outcome = { source: SourceName; outcome: string; result?: RunResult; failure?: unknown }

export const updateCommand = () =>
  new Command('update')
    .addArgument(new Argument('[sources...]', 'sources to update').choices(SOURCES))
    .option('--folder <path>', 'folder for downloads (default: DATA_DIR/dumps)')
    .option(...BAD_ROWS_OPTION)
    .option(...SHRINK_OPTION)
    .option(...DRY_RUN_OPTION)
    .option(...NO_WAIT_OPTION)
    .option(...JSON_OPTION)
    .addHelpText('after', HELP)
    .action(async (named: SourceName[], options: Options) => {
      const config = readConfig()
      const outcomes: Outcome[] = []
      for (const source of named.length > 0 ? new Set(named) : SOURCES) {
        const began = performance.now()
        const outcome = await update(source, config, options).catch(
          async (failure: unknown): Promise<Outcome> => {
            if (!options.dryRun) await notifyUnlessWatched(source, began)
            return { source, outcome: failure instanceof Failure ? 'refused' : 'failed', failure }
          },
        )
        outcomes.push(outcome)
        if (!options.json) print(options, undefined, linesOf(outcome))
      }
      if (options.json) print(options, outcomes.map(toJson), [])
      const failed = outcomes.flatMap(({ source, failure }) =>
        failure === undefined ? [] : { source, failure },
      )
      const [first] = failed
      if (!first) return
      throw new Failure(
        failed.map(({ source, failure }) => `${source}: ${explainFailure(failure)}`).join('\n'),
        {
          exitStatus: first.failure instanceof Failure ? first.failure.exitStatus : 1,
          cause: first.failure,
        },
      )
    })

async function update(source: SourceName, config: Config, options: Options): Promise<Outcome> {
  const folder = options.folder ?? join(config.dataDir, 'dumps')
  const fetched = await recordDownloadFailure(
    source,
    options,
    fetchWithProgress(source, config, folder, options),
  )
  if (await withDatabase((db) => isImported(db, source, fetched.sha256)))
    return { source, outcome: 'up to date' }
  const opened = await recordDownloadFailure(
    source,
    options,
    openFetched(source, fetched.path, folder, options),
  )
  try {
    const result = await withDatabaseForImport((db) => runImport(db, source, opened, options))
    return {
      source,
      outcome: options.dryRun ? 'dry run' : 'imported',
      result,
      ...(result.refusal !== undefined && { failure: result.refusal }),
    }
  } finally {
    await opened.close()
  }
}

/** Notifies the administrators of a failed update, unless someone sees it fail on a terminal. */
async function notifyUnlessWatched(source: SourceName, began: number) {
  if (process.stderr.isTTY) return
  const seconds = (performance.now() - began) / 1_000
  // The update has failed either way.
  await withDatabase((db) => notifyFailedUpdate(db, source, seconds)).catch(() => {})
}

/** Records a failed import if a download fails or does not contain a dump, so that `import list` shows it. */
const recordDownloadFailure = <Result>(
  source: SourceName,
  { dryRun }: Options,
  work: Promise<Result>,
): Promise<Result> =>
  work.catch(async (error: unknown) => {
    if (!dryRun)
      await withDatabase((db) => recordFailedRun(db, source, explainFailure(error))).catch(() => {})
    throw error
  })

/** Whether the catalog already contains everything that an import of this dump would produce now. */
async function isImported(db: Database, source: SourceName, sha256: string): Promise<boolean> {
  const last = await findLastDone(db, source)
  if (last?.sha256 !== sha256 || last.mapping_version !== DUMP_SOURCES[source].mappingVersion)
    return false
  return isUpToDate(db, source, new Dependencies())
}

async function fetchWithProgress(
  source: SourceName,
  config: Config,
  folder: string,
  { json }: Options,
) {
  const progress = json
    ? undefined
    : showProgress({
        name: source,
        write: (text) => process.stderr.write(text),
        isTerminal: process.stderr.isTTY,
      })
  return fetchDump(
    source,
    config.dumpUrls[source],
    folder,
    { ...DOWNLOAD_LIMITS, maxBytes: config.maxDumpBytes },
    (bytes, total) =>
      progress?.update({
        phase: 'fetching',
        done: bytes / 2 ** 20,
        total: total === undefined ? undefined : total / 2 ** 20,
        unit: 'MiB',
      }),
  ).finally(() => progress?.end())
}

/** Deletes a file that is not a dump. Otherwise, it would count as the newest dump forever. */
async function openFetched(
  source: SourceName,
  path: string,
  folder: string,
  { maxBadRows }: Options,
): Promise<OpenSource> {
  try {
    return await openSource(source, path, { maxBadRows })
  } catch (error) {
    if (error instanceof DumpError) await discardFetched(source, folder)
    throw error
  }
}

const linesOf = ({ source, outcome, result }: Outcome): string[] => [
  `${source}: ${outcome}`,
  ...(result ? [...result.lines, ''] : []),
]

const toJson = ({ source, outcome, result, failure }: Outcome) => ({
  source,
  outcome,
  ...(result && { result: result.value }),
  ...(failure !== undefined && { error: explainFailure(failure) }),
})
