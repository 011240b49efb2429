import { Command, Option } from 'commander'
import { recordBackup } from '../../src/backup/last-backup-queries.ts'
import { makeBackup } from '../../src/backup/make-backup.ts'
import { findBackupPlace } from '../../src/backup/places/backup-place.ts'
import { isInBucket } from '../../src/backup/places/bucket-place.ts'
import { openBackup } from '../../src/backup/places/open-backup.ts'
import { readBackup, type BackupContent } from '../../src/backup/read-backup.ts'
import { readConfig } from '../../src/config/config.ts'
import { openDatabase } from '../../src/db/database.ts'
import { isReadOnly } from '../../src/kernel/is-unavailable.ts'
import { openLog } from '../../src/operations/log/log.ts'
import { showTransfer, formatBytes } from '../transfer-progress.ts'
import { exitOnSignals } from '../exit-on-signals.ts'
import { Failure } from '../failure.ts'
import { JSON_OPTION, print, type PrintOptions } from '../print.ts'

const HELP = `
A backup is one file with everything that cannot be rebuilt: accounts, ratings,
collections, apps, tokens, signing keys, uploads and the catalog. It can be made
while the service runs, and restored into an embedded database or a PostgreSQL
server, of another version too. It holds personal data and password hashes; only
its owner can read the file. If SECRET_KEY is set, secrets in it are encrypted,
and it cannot be used without that key.

The file appears when it is complete and verified. A name after bucket: means
the bucket in BUCKET_URL, to which the backup is uploaded as it is made.

Examples: mokuroku backup /backups/mokuroku.tar
          mokuroku backup bucket:before-move.tar
          mokuroku backup list
          mokuroku backup verify /backups/mokuroku.tar
          mokuroku restore /backups/mokuroku.tar`

/**
 * Returns the options of a subcommand, including `--json`, which commander assigns to `backup` because both have it.
 */
const outputOf = (command: Command) => command.optsWithGlobals<PrintOptions>()

type Options = PrintOptions & { force?: boolean; copy?: string }

export const backupCommand = () =>
  new Command('backup')
    .usage('[options] <file>')
    .helpCommand(false)
    .argument('<file>', 'file to create, or bucket:NAME')
    .option('--force', 'replace an existing file')
    // The service passes a copy of its embedded database, to use instead of DATA_DIR.
    .addOption(new Option('--copy <folder>').hideHelp())
    .option(...JSON_OPTION)
    .addCommand(
      new Command('verify')
        .description('check that a backup is complete and undamaged')
        .argument('<file>', 'file to check, or bucket:NAME')
        .option(...JSON_OPTION)
        .action((path: string, _options, command: Command) => verify(path, outputOf(command))),
    )
    .addCommand(
      new Command('list')
        .description('list the backups that the service has made')
        .option(...JSON_OPTION)
        .action((_options, command: Command) => list(outputOf(command))),
    )
    .addHelpText('after', HELP)
    .action((path: string, options: Options) => {
      const stopping = new AbortController()
      const backup = () => backUp(path, options, stopping.signal)
      // Only an upload takes time to abort. Files are deleted at exit.
      return isInBucket(path)
        ? exitOnSignals(backup, () => stopping.abort())
        : exitOnSignals(backup)
    })

async function backUp(
  path: string,
  { force, copy, ...options }: Options,
  signal: AbortSignal,
): Promise<void> {
  const given = readConfig()
  const config = copy === undefined ? given : { ...given, databaseUrl: undefined, dataDir: copy }
  const isPrivate = copy !== undefined
  const progress = showTransfer(options)
  const database = await openDatabase(config, openLog(config.logLevel))
  try {
    const made = await makeBackup(config, database, path, {
      force,
      isPrivate,
      signal,
      onProgress: ({ table, tables, tablesDone, bytes }) =>
        progress.update(
          `Table ${tablesDone + 1} of ${tables} (${table}), ${formatBytes(bytes)} so far`,
        ),
    })
    progress.end()
    const { file, heldMs, missingUploads } = made
    if (!isPrivate)
      await recordBackup(database.db, {
        file,
        taken_at: made.manifest.taken_at,
        bytes: made.fileBytes,
      }).catch((error: unknown) => {
        // A standby can be backed up, but not written to.
        if (!isReadOnly(error)) throw error
      })
    const held =
      heldMs > 0 ? [`The database was held for ${Math.round(heldMs)} ms to copy its files.`] : []
    print(
      options,
      { file, held_ms: Math.round(heldMs), missing_uploads: missingUploads, ...summaryOf(made) },
      [
        `Wrote ${describe(file, made)}`,
        ...held,
        ...(missingUploads > 0
          ? [
              `${missingUploads === 1 ? '1 uploaded picture is' : `${missingUploads} uploaded pictures are`} missing. ` +
                (config.bucket
                  ? 'Check BUCKET_URL and BUCKET_PREFIX.'
                  : 'Set BUCKET_URL and its keys.'),
            ]
          : []),
      ],
    )
  } finally {
    progress.end()
    await database.close()
  }
}

async function verify(path: string, options: PrintOptions) {
  const progress = showTransfer(options)
  const source = await openBackup(readConfig(), path)
  const content = await readBackup(source, { onProgress: progress.share('Verifying') }).finally(
    progress.end,
  )
  print(options, { file: path, ...summaryOf(content) }, [
    `${describe(path, content)} It is complete and undamaged.`,
  ])
}

async function list(options: PrintOptions) {
  const place = findBackupPlace(readConfig())
  if (!place)
    throw new Failure(
      'No backups are scheduled. Set BACKUP_DIR to a folder, or BUCKET_URL to a bucket.',
    )
  const backups = await place.list()
  print(
    options,
    backups.map(({ path, bytes }) => ({ file: path, bytes })),
    backups.length === 0
      ? [`${place.address} has no backups yet.`]
      : backups.map(({ path, bytes }) => `${path}: ${formatBytes(bytes)}`),
  )
}

const rowsOf = ({ checksums }: BackupContent) =>
  Object.values(checksums.tables).reduce((sum, { rows }) => sum + rows, 0)

const summaryOf = (content: BackupContent) => {
  const { version, taken_at, engine, postgres, last_change, sealed, tables, migrations } =
    content.manifest
  return {
    bytes: content.fileBytes,
    taken_at,
    version,
    schema: migrations.at(-1)?.name,
    engine,
    postgres,
    last_change,
    encrypted_secrets: sealed !== null,
    tables: tables.length,
    rows: rowsOf(content),
  }
}

const describe = (file: string, content: BackupContent) =>
  `${file}: ${formatBytes(content.fileBytes)}, ${rowsOf(content).toLocaleString('en')} rows of ` +
  `${content.manifest.tables.length} tables, taken at ${content.manifest.taken_at}.`
