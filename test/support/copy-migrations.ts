import { cpSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { CHECKOUT, temporaryFolder } from './program.ts'

/** A copy of the migrations to which a test adds its own. */
export type MigrationsCopy = ReturnType<typeof copyMigrations>

/** Copies the migrations to a temporary folder. */
export function copyMigrations() {
  const { path, remove } = temporaryFolder()
  cpSync(join(CHECKOUT, 'migrations'), path, { recursive: true })
  const add = (name: string, text: string) => writeFileSync(join(path, `${name}.sql`), text)
  return { path, url: pathToFileURL(`${path}/`), add, remove }
}
