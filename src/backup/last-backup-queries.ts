import type { Database } from '../db/database.ts'
import { queryRow, queryRows } from '../db/query.ts'
import { statement } from '../db/statement.ts'

/** The last backup that succeeded. */
export type LastBackup = {
  /** Time of its snapshot. */
  takenAt: Date
  /** Path on the machine that made it. */
  file: string
  bytes: number
}

const SAVE = statement('backup.save_last').sql(`
  insert into installation (name, value) values ($1::text, $2::text::jsonb)
  on conflict (name) do update set value = excluded.value`)

const FIND = statement('backup.find_last').returning<{
  taken_at: string
  file: string
  bytes: number
}>(`
  select value ->> 'taken_at' as taken_at, value ->> 'file' as file, (value ->> 'bytes')::bigint as bytes
  from installation
  where name = $1`)

const NAMES = { any: 'last_backup', scheduled: 'last_scheduled_backup' }

/** Records a backup that succeeded. */
export async function recordBackup(
  db: Database,
  { file, taken_at, bytes }: { file: string; taken_at: string; bytes: number },
  isScheduled = false,
): Promise<void> {
  const value = JSON.stringify({ taken_at, file, bytes })
  await queryRows(db, SAVE, [NAMES.any, value])
  if (isScheduled) await queryRows(db, SAVE, [NAMES.scheduled, value])
}

/** Returns the last successful backup, made by the service or by a command; undefined if there has never been one. */
export async function findLastBackup(
  db: Database,
  which: keyof typeof NAMES = 'any',
): Promise<LastBackup | undefined> {
  const row = await queryRow(db, FIND, [NAMES[which]])
  return row && { takenAt: new Date(row.taken_at), file: row.file, bytes: row.bytes }
}
