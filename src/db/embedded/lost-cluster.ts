import { existsSync, readdirSync } from 'node:fs'
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

const listSome = (names: string[]) =>
  names.length > 4
    ? `${names.slice(0, 4).join(', ')} and ${names.length - 4} more`
    : names.join(', ')
