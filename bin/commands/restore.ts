import { Command } from 'commander'
import { restoreBackup } from '../../src/backup/restore.ts'
import { readConfig } from '../../src/config/config.ts'
import { openLog } from '../../src/operations/log/log.ts'
import { exitOnSignals } from '../exit-on-signals.ts'
import { JSON_OPTION, print, type PrintOptions } from '../print.ts'
import { formatBytes, showTransfer } from '../transfer-progress.ts'

const HELP = `
Restores into the database in DATABASE_URL, or into the embedded database in
DATA_DIR. Stop the service first. The backup is checked completely before
anything is changed. A failure, or a process that is killed, leaves the target
as it was.

A database with data is replaced only with --force. The files of an embedded
database are kept aside, and the output names their folder; a damaged database
can be replaced as well. Users stay signed in, and tokens remain valid, if
SECRET_KEY and the URLs stay the same. Lists and the search index are rebuilt;
the service computes similar works again, and fetches the sources' pictures
when they are needed.

A backup in the bucket in BUCKET_URL is downloaded twice: once to check it, and
once to load it.

Examples: mokuroku restore /backups/mokuroku.tar
          mokuroku restore bucket:mokuroku-20260131T020000Z.tar`

export const restoreCommand = () =>
  new Command('restore')
    .argument('<file>', 'backup to restore: a file, or bucket:NAME')
    .option('--force', 'replace existing data')
    .option(...JSON_OPTION)
    .addHelpText('after', HELP)
    .action((path: string, options: Options) => exitOnSignals(() => restore(path, options)))

type Options = PrintOptions & { force?: boolean }

async function restore(path: string, { force, ...options }: Options) {
  const config = readConfig()
  const progress = showTransfer(options)
  const { content, keptAside, migrated } = await restoreBackup(config, path, {
    force,
    log: openLog(config.logLevel),
    onProgress: (phase, done, whole) =>
      progress.update(`${phase}${whole > 1 ? `: ${Math.floor((done / whole) * 100)} %` : ''}`),
  }).finally(progress.end)
  const { manifest, checksums, fileBytes } = content
  const rows = Object.values(checksums.tables).reduce((sum, table) => sum + table.rows, 0)
  print(
    options,
    {
      file: path,
      bytes: fileBytes,
      taken_at: manifest.taken_at,
      tables: manifest.tables.length,
      rows,
      last_change: manifest.last_change,
      migrated,
      kept_aside: keptAside ?? null,
    },
    [
      `Restored ${rows.toLocaleString('en')} rows of ${manifest.tables.length} tables from ${path} (${formatBytes(fileBytes)}), taken at ${manifest.taken_at}. Counts and sums match.`,
      ...(migrated.length > 0 ? [`Applied ${migrated.join(', ')}.`] : []),
      'Lists and the search index are rebuilt; the service computes similar works again.',
      ...(keptAside === undefined
        ? []
        : [
            `The replaced files are in ${keptAside}. Delete the folder when you no longer need it.`,
          ]),
    ],
  )
}
