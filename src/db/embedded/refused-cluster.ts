import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ClusterError } from './cluster-error.ts'

/** Entries of a data directory that exist only after a database was created. */
const TRACES = ['demo.json', 'reserve', 'outbox', 'images', 'backups']

/**
 * Refuses to create a cluster where one existed before: its disk may be unmounted, or the folder damaged.
 *
 * @param cluster folder of the new cluster
 * @param isNew true if the operator asked for a new database in a used data directory
 */
export function refuseLostCluster(directory: string, cluster: string, isNew: boolean) {
  const content = existsSync(cluster) ? readdirSync(cluster) : []
  if (content.length > 0)
    throw new ClusterError(
      `${cluster} is not a complete database: it lacks PG_VERSION, but contains ${listSome(content)}.`,
      'Restore the folder from a backup, or move it away and run mokuroku serve --new for a new database.',
    )
  const traces = TRACES.filter((name) => existsSync(join(directory, name)))
  if (traces.length > 0 && !isNew)
    throw new ClusterError(
      `${directory} was used before (it holds ${listSome(traces)}), but its database in ${cluster} is ` +
        `${existsSync(cluster) ? 'empty' : 'missing'}.`,
      'Mount its disk, restore the folder from a backup, or set DATABASE_URL if the database is on a server; ' +
        'for a new embedded database, run mokuroku serve --new once.',
      { alternative: 'Mount its disk, set DATABASE_URL if the database is on a server, or' },
    )
}

/** File of a cluster that is in use. Contains the time, in nanoseconds, at which the cluster's folder was created. */
const IN_USE = 'in-use.created'

/**
 * Refuses a copy of a cluster that was in use. PostgreSQL may not notice that its files were copied at different
 * times: rows that were acknowledged before the copy began may be missing. Marks the cluster as in use.
 *
 * @returns a function that removes the mark, to be called once the cluster is closed
 */
export function refuseCopiedCluster(cluster: string): () => void {
  const mark = join(cluster, IN_USE)
  const created = creationTimeOf(cluster)
  const marked = existsSync(mark) ? readFileSync(mark, 'utf8') : ''
  const allow = `If no process wrote to the database during the copy, delete ${mark}`
  if (created !== '' && marked !== '' && created !== marked)
    throw new ClusterError(
      `${cluster} is a copy of a database that was in use, so its files may not fit together.`,
      `${allow}. Otherwise, stop the service and copy the folder again.`,
      { alternative: `${allow}. Otherwise, stop the service and copy the folder again, or` },
    )
  if (created !== marked)
    try {
      writeFileSync(mark, created, { mode: 0o600 })
    } catch {
      // On a full disk, copies are not recognized. PostgreSQL reports other errors.
    }
  return () => rmSync(mark, { force: true })
}

/** Returns the creation time of a folder, or an empty string if the file system does not record it. */
function creationTimeOf(folder: string): string {
  const { birthtimeNs, ctimeNs } = statSync(folder, { bigint: true })
  // Some file systems report the time of the last change instead, which is useless here.
  return birthtimeNs > 0n && birthtimeNs < ctimeNs ? String(birthtimeNs) : ''
}

const listSome = (names: string[]) =>
  names.length > 4
    ? `${names.slice(0, 4).join(', ')} and ${names.length - 4} more`
    : names.join(', ')
