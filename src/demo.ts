import { randomBytes } from 'node:crypto'
import { open, readFile, rename } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { sql } from 'kysely'
import { createAccount } from './accounts/queries.ts'
import { createApp } from './apps/queries.ts'
import type { Config } from './config.ts'
import type { Database } from './db/database.ts'
import { importSource } from './importers/import-source.ts'
import { READERS, SAMPLE_FOLDERS } from './importers/sources.ts'

/** What `DATA_DIR/demo.json` holds: everything needed to try the service, secrets included. */
export type Demo = {
  base_url: string
  account: { email: string; password: string }
  apps: DemoApp[]
}
export type DemoApp = {
  client_id: string
  client_secret?: string
  client_type: 'confidential' | 'public'
  scope: string
  redirect_uris: string[]
}

/** What the database remembers: whether this installation has the demo at all, and what it is made of. */
type DemoState = { wanted: boolean; account_id?: number; client_ids?: string[] }

const APPS = [
  { clientName: 'Demo launcher', scopes: ['catalog:full'] },
  { clientName: 'Demo bot', scopes: ['catalog:read'] },
]

/**
 * Makes the demo on the first start of an installation, and finds it again on every later one: the bundled sample, an
 * account and two apps. A start that was interrupted is taken up again.
 *
 * @param wanted whether a new installation gets it; an old one keeps what it was started with
 * @returns what `demo.json` says, or undefined when this installation has no demo
 */
export async function prepareDemo(
  db: Database,
  { dataDir, baseUrl }: Config,
  wanted: boolean,
  onStep: (step: string) => void = () => {},
): Promise<Demo | undefined> {
  const state = await settleState(db, wanted)
  if (!state.wanted) return undefined
  const path = join(dataDir, 'demo.json')
  const known = await readDemo(path)
  if (known && known.apps.every((app) => state.client_ids?.includes(app.client_id))) {
    if (known.base_url !== baseUrl) await writeDemo(path, { ...known, base_url: baseUrl })
    return { ...known, base_url: baseUrl }
  }
  for (const { source, folder } of SAMPLE_FOLDERS) {
    onStep(`Loading the sample: ${source}`)
    await importSource(db, source, (report) => READERS[source](fileURLToPath(folder), report))
  }
  onStep('Making a demo account and demo apps')
  return createDemo(db, state, path, baseUrl)
}

/** The first start settles whether there is a demo. */
async function settleState(db: Database, wanted: boolean): Promise<DemoState> {
  await db
    .insertInto('installation')
    .values({ name: 'demo', value: JSON.stringify({ wanted }) })
    .onConflict((conflict) => conflict.column('name').doNothing())
    .execute()
  const { value } = await db
    .selectFrom('installation')
    .select('value')
    .where('name', '=', 'demo')
    .executeTakeFirstOrThrow()
  // as: only this module writes it
  return value as DemoState
}

/** The file is there before the database says so: of a crash between the two nothing is left but a file that is replaced. */
async function createDemo(db: Database, old: DemoState, path: string, baseUrl: string): Promise<Demo> {
  return db.transaction().execute(async (trx) => {
    await trx
      .deleteFrom('apps')
      .where('client_id', 'in', old.client_ids ?? [''])
      .execute()
    await trx
      .deleteFrom('accounts')
      .where('id', '=', old.account_id ?? 0)
      .execute()

    const account = { email: 'demo@mokuroku.invalid', password: randomBytes(12).toString('base64url') }
    const account_id = await createAccount(trx, { ...account, name: 'Demo' })
    if (account_id === undefined)
      throw new Error(`The address ${account.email} has an account already, which is not the demo's.`)
    const apps: DemoApp[] = []
    for (const demoApp of APPS) {
      const { app, secret } = await createApp(trx, { ...demoApp, accountId: account_id })
      apps.push({
        client_id: app.client_id,
        ...(secret !== undefined && { client_secret: secret }),
        client_type: app.client_type,
        scope: app.scopes.join(' '),
        redirect_uris: app.redirect_uris,
      })
    }
    const state: DemoState = { wanted: true, account_id, client_ids: apps.map(({ client_id }) => client_id) }
    await trx
      .updateTable('installation')
      .set({ value: JSON.stringify(state) })
      .where('name', '=', 'demo')
      .execute()
    const demo = { base_url: baseUrl, account, apps }
    await writeDemo(path, demo)
    return demo
  })
}

async function readDemo(path: string): Promise<Demo | undefined> {
  try {
    // as: only this module writes it
    return JSON.parse(await readFile(path, 'utf8')) as Demo
  } catch {
    return undefined
  }
}

/** Readable by the owner alone, and never seen half-written. */
async function writeDemo(path: string, demo: Demo) {
  const file = await open(`${path}.new`, 'w', 0o600)
  try {
    await file.chmod(0o600)
    await file.writeFile(`${JSON.stringify(demo, undefined, 2)}\n`)
    await file.sync()
  } finally {
    await file.close()
  }
  await rename(`${path}.new`, path)
}

/** A galgame with much to see, for the lines that a first-time user pastes. */
export async function findShowcase(db: Database): Promise<number | undefined> {
  const { rows } = await sql<{ id: number }>`
    select work.id from works work join galgame_characters appearance on appearance.galgame_id = work.id
    where not work.nsfw
    group by work.id order by count(*) desc, work.id limit 1`.execute(db)
  return rows[0]?.id
}
