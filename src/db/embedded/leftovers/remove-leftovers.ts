import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type pg from 'pg'
import { clusterOf, RESTORED, RESTORING } from '../cluster.ts'
import { ClusterError } from '../cluster-error.ts'
import { removeLeftCopies } from './copies.ts'
import { deleteFiles, findOrphans } from './relation-files.ts'

/** Whether an entry of the data directory belongs to an unfinished creation or restore of the database. */
const isUnfinished = (name: string) =>
  ['reserve.unfinished', 'postgres.unfinished', RESTORED].includes(name) ||
  name.startsWith(RESTORING)

type LeftoversLog = { warn(facts: object, message: string): void }

/**
 * Deletes files that killed processes have left in a data directory: rolled-back tables, temporary files and unfinished
 * copies. Call it before anything else uses the database.
 *
 * @param directory data directory, whose lock the caller holds
 * @throws {ClusterError} if files of the database are missing
 */
export async function removeLeftovers(client: pg.Client, directory: string, log?: LeftoversLog) {
  const cluster = clusterOf(directory)
  try {
    await removeLeftCopies(directory)
    const paths = [
      ...(await listMatching(directory, isUnfinished)),
      ...(await listMatching(join(cluster, 'base/pgsql_tmp'), (name) =>
        name.startsWith('pgsql_tmp'),
      )),
      ...(await findOrphans(client, cluster)),
    ]
    if (paths.length === 0) return
    const bytes = await deleteFiles(paths)
    log?.warn(
      { directory, files: paths.length, bytes },
      'Deleted files that a killed process had left in the data directory',
    )
  } catch (err) {
    if (err instanceof ClusterError) throw err
    log?.warn({ err, directory }, 'Could not delete the files of a killed process')
  }
}

async function listMatching(folder: string, matches: (name: string) => boolean): Promise<string[]> {
  const names = await readdir(folder).catch(() => [])
  return names.filter(matches).map((name) => join(folder, name))
}
