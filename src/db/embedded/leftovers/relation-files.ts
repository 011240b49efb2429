import { readdir, rm, stat } from 'node:fs/promises'
import { join, posix } from 'node:path'
import type pg from 'pg'
import { ClusterError } from '../cluster-error.ts'

type Relation = { name: string; path: string; is_temporary: boolean }

const LIST_RELATIONS = `
  select oid::regclass::text as name, pg_relation_filepath(oid) as path, relpersistence = 't' as is_temporary
  from pg_class
  where pg_relation_filepath(oid) is not null`

/**
 * Counts prepared transactions, whose relations are invisible, and relations that are missing from a damaged `pg_class`
 * although other catalogs name them.
 */
const COUNT_UNKNOWN = `
  select
    (select count(*)::integer from pg_prepared_xacts) as prepared,
    (
      select count(*)::integer
      from (
        select attrelid as relation from pg_attribute
        union all select indrelid from pg_index
        union all select indexrelid from pg_index
        union all select typrelid from pg_type where typrelid <> 0
        union all select reltoastrelid from pg_class where reltoastrelid <> 0
      ) named
      where not exists (select from pg_class where oid = relation)
    ) as lost`

type Unknown = { prepared: number; lost: number }

/** Name of a relation's file without the suffix of a fork or a segment. Other files in the folder do not match. */
const RELATION_FILE = /^((?:t\d+_)?\d+)(?:_(?:fsm|vm|init))?(?:\.\d+)?$/

/**
 * Finds files of tables and indexes that no catalog names. A killed import leaves them behind, because PostgreSQL
 * rolls its transaction back without deleting the files. Call it before anything else uses the database.
 *
 * @param cluster folder of the cluster
 * @returns paths, empty if the catalogs may be incomplete
 * @throws {ClusterError} if files of the database are missing
 */
export async function findOrphans(client: pg.Client, cluster: string): Promise<string[]> {
  if ((await readFiles(client, cluster)).orphans.length === 0) return []
  const { rows } = await client.query<Unknown>(COUNT_UNKNOWN)
  if (rows[0]?.prepared !== 0 || rows[0].lost !== 0) return []
  // After this checkpoint, crash recovery no longer needs the orphans. PostgreSQL deletes the files of dropped tables
  // during the checkpoint.
  await client.query('checkpoint')
  return (await readFiles(client, cluster)).orphans
}

async function readFiles(client: pg.Client, cluster: string): Promise<{ orphans: string[] }> {
  const relations = await listRelations(client)
  const known = new Set(relations.map(({ path }) => path))
  const found = new Set<string>()
  const orphans: string[] = []
  for (const folder of new Set(relations.map(({ path }) => posix.dirname(path))))
    for (const name of await readdir(join(cluster, folder))) {
      const base = RELATION_FILE.exec(name)?.[1]
      if (base === undefined) continue
      const path = posix.join(folder, base)
      // Without its main fork, a relation is lost even if other forks exist.
      if (name === base) found.add(path)
      if (!known.has(path) && folder.startsWith('base/')) orphans.push(join(cluster, folder, name))
    }
  const missing = relations.filter(({ path, is_temporary }) => !is_temporary && !found.has(path))
  if (missing.length > 0) throw incomplete(cluster, missing)
  return { orphans }
}

/** Lists relations that have files. First drops temporary tables of killed processes. */
async function listRelations(client: pg.Client): Promise<Relation[]> {
  const { rows: relations } = await client.query<Relation>(LIST_RELATIONS)
  if (!relations.some(({ is_temporary }) => is_temporary)) return relations
  // PostgreSQL drops them when it creates the first temporary table of a session.
  await client.query('create temporary table leftovers (); drop table leftovers')
  return (await client.query<Relation>(LIST_RELATIONS)).rows
}

function incomplete(cluster: string, missing: Relation[]) {
  const [first] = missing
  const rest = missing.length === 1 ? '' : ` and ${missing.length - 1} more`
  return new ClusterError(
    `The database in ${cluster} is incomplete: it lacks the file ${first?.path} of ${first?.name}${rest}.`,
    'The folder is damaged or was restored partially. Keep a copy of it, and restore the folder from a backup.',
  )
}

/**
 * Deletes files.
 *
 * @returns number of bytes that they occupied
 */
export async function deleteFiles(paths: string[]): Promise<number> {
  let bytes = 0
  for (const path of paths) {
    const { size } = await stat(path)
    await rm(path, { recursive: true })
    bytes += size
  }
  return bytes
}
