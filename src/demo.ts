import { randomBytes } from 'node:crypto'
import { mkdir, open, readFile, rename } from 'node:fs/promises'
import { join } from 'node:path'
import { sql } from 'kysely'
import { deleteAccountRow } from './accounts/deletion-queries.ts'
import { createAccount } from './accounts/queries.ts'
import { CONSOLE, consoleRedirectUri } from './apps/first-party.ts'
import { createApp, type NewApp } from './apps/queries.ts'
import { USER_SCOPES } from './apps/scopes.ts'
import type { Config } from './config/config.ts'
import type { Database } from './db/database.ts'
import { loadSample } from './sample.ts'

/** What `DATA_DIR/demo.json` holds: everything needed to try the service, secrets included. */
export type Demo = {
  base_url: string
  account: { email: string; password: string }
  apps: DemoApp[]
}
type DemoApp = {
  client_id: string
  client_secret?: string
  client_type: 'confidential' | 'public'
  scope: string
  redirect_uris: string[]
}

/**
 * What the database remembers: whether this installation has the demo at all, whether its database was made with the
 * sample in it, and, once the demo is made, what it is made of.
 */
type DemoState = { wanted: boolean; has_sample?: boolean; account_id?: number; client_ids?: string[] }

/** What the packed database with the sample remembers, of which first starts that want a demo begin. */
export const PACKED_DEMO_STATE: DemoState = { wanted: true, has_sample: true }

/** Of the advisory lock under which one process makes the demo: any number, the same in all of them. */
const LOCK = 7_301_958

/** Oldest first: the demo of an older version has the first of them, and gets the others. */
const APPS: Omit<NewApp, 'accountId'>[] = [
  { clientName: 'Demo launcher', scopes: ['catalog:full'] },
  { clientName: 'Demo bot', scopes: ['catalog:read'] },
  {
    clientName: 'Demo desktop program',
    scopes: Object.keys(USER_SCOPES),
    clientType: 'public',
    applicationType: 'native',
    redirectUris: ['http://127.0.0.1:14791/callback'],
  },
  {
    clientName: 'Demo website',
    scopes: Object.keys(USER_SCOPES),
    redirectUris: ['http://127.0.0.1:14792/callback'],
  },
]

/**
 * Makes the demo on the first start of an installation, and finds it again on every later one: the bundled sample, an
 * account and four apps. A start that was interrupted is taken up again.
 *
 * @param wanted whether a new installation gets it, undefined: when it is embedded and its catalog empty. An old one
 *   keeps what it was started with
 * @param onProgress is given what happens, line by line
 * @returns what `demo.json` says, or undefined when this installation has no demo, or another process has its file
 */
export async function prepareDemo(
  db: Database,
  { dataDir, databaseUrl, baseUrl }: Config,
  wanted: boolean | undefined,
  onProgress: (line: string) => void = () => {},
): Promise<Demo | undefined> {
  const embedded = databaseUrl === undefined
  const state = await claimDemoState(db, wanted ?? (embedded && !(await hasWorks(db))))
  if (!state.wanted) {
    if (wanted) onProgress('There will be no demo: this database was first started without one')
    return undefined
  }
  const path = join(dataDir, 'demo.json')
  const known = await findDemo(path, state)
  if (known && known.apps.length >= APPS.length) {
    const demo = withConsole(known, baseUrl)
    if (known.base_url !== baseUrl || !known.hasConsole) await writeDemo(path, demo)
    return demo
  }
  if (known) return completeDemo(db, path, baseUrl)
  // Secrets cannot be read back, so a lost file means new apps; yet one on another machine is not lost.
  if (state.client_ids && !embedded && !wanted) return undefined
  if (!state.has_sample) await loadSample(db, onProgress)
  onProgress('Making a demo account and demo apps')
  await mkdir(dataDir, { recursive: true, mode: 0o700 })
  return createDemo(db, path, baseUrl)
}

/** The first start decides for good whether there is a demo. */
async function claimDemoState(db: Database, wanted: boolean): Promise<DemoState> {
  await db
    .insertInto('installation')
    .values({ name: 'demo', value: JSON.stringify({ wanted }) })
    .onConflict((conflict) => conflict.column('name').doNothing())
    .execute()
  return readState(db)
}

async function readState(db: Database): Promise<DemoState> {
  const { value } = await db
    .selectFrom('installation')
    .select('value')
    .where('name', '=', 'demo')
    .executeTakeFirstOrThrow()
  // as: only this module writes it
  return value as DemoState
}

async function hasWorks(db: Database) {
  const { rows } = await sql<{ found: boolean }>`select exists (select from works) as found`.execute(db)
  return rows[0]?.found === true
}

/** The file is there before the database says so: of a crash between the two nothing is left but a file that is replaced. */
async function createDemo(db: Database, path: string, baseUrl: string): Promise<Demo> {
  return db.transaction().execute(async (trx) => {
    await sql`select pg_advisory_xact_lock(${LOCK}::bigint)`.execute(trx)
    const old = await readState(trx)
    const made = await findDemo(path, old)
    if (made) return withConsole(made, baseUrl)
    await trx
      .deleteFrom('apps')
      .where('client_id', 'in', old.client_ids ?? [''])
      .execute()
    await deleteAccountRow(trx, old.account_id ?? 0)

    const account = { email: 'demo@mokuroku.invalid', password: randomBytes(12).toString('base64url') }
    const account_id = await createAccount(trx, { ...account, name: 'Demo' })
    if (account_id === undefined)
      throw new Error(`The address ${account.email} has an account already, which is not the demo's.`)
    const apps = await createApps(trx, account_id, APPS)
    await saveState(trx, { wanted: true, account_id, client_ids: apps.map(({ client_id }) => client_id) })
    const demo = withConsole({ account, apps }, baseUrl)
    await writeDemo(path, demo)
    return demo
  })
}

/** Gives the demo of an older version the apps that have come since. */
async function completeDemo(db: Database, path: string, baseUrl: string): Promise<Demo> {
  return db.transaction().execute(async (trx) => {
    await sql`select pg_advisory_xact_lock(${LOCK}::bigint)`.execute(trx)
    const state = await readState(trx)
    const known = await findDemo(path, state)
    if (!known || state.account_id === undefined)
      throw new Error(`${path} was changed meanwhile. Start again.`)
    const added = await createApps(trx, state.account_id, APPS.slice(known.apps.length))
    const apps = [...known.apps, ...added]
    await saveState(trx, { ...state, client_ids: apps.map(({ client_id }) => client_id) })
    const demo = withConsole({ account: known.account, apps }, baseUrl)
    await writeDemo(path, demo)
    return demo
  })
}

async function createApps(trx: Database, accountId: number, apps: typeof APPS): Promise<DemoApp[]> {
  const created: DemoApp[] = []
  for (const demoApp of apps) {
    const { app, secret } = await createApp(trx, { ...demoApp, accountId })
    created.push({
      client_id: app.client_id,
      ...(secret !== undefined && { client_secret: secret }),
      client_type: app.client_type,
      scope: app.scopes.join(' '),
      redirect_uris: app.redirect_uris,
    })
  }
  return created
}

async function saveState(trx: Database, state: DemoState) {
  await trx
    .updateTable('installation')
    .set({ value: JSON.stringify(state) })
    .where('name', '=', 'demo')
    .execute()
}

/** The demo with the operator's console beside its own apps. */
function withConsole({ account, apps }: Pick<Demo, 'account' | 'apps'>, baseUrl: string): Demo {
  const consoleApp: DemoApp = {
    client_id: CONSOLE,
    client_type: 'public',
    scope: 'developer:apps',
    redirect_uris: [consoleRedirectUri(baseUrl)],
  }
  return { base_url: baseUrl, account, apps: [...apps, consoleApp] }
}

/** The demo of the file without the console, if it is the one that the database knows. */
async function findDemo(
  path: string,
  { client_ids }: DemoState,
): Promise<(Demo & { hasConsole: boolean }) | undefined> {
  try {
    // as: only this module writes it; of anything else a property is missing, which throws
    const demo = JSON.parse(await readFile(path, 'utf8')) as Demo
    const apps = demo.apps.filter(({ client_id }) => client_id !== CONSOLE)
    const known =
      client_ids?.join() === apps.map((app) => app.client_id).join() && Boolean(demo.account.password)
    return known ? { ...demo, apps, hasConsole: apps.length < demo.apps.length } : undefined
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

/** A galgame with much to see, if there is one with main characters: for the lines that a first-time user pastes. */
export async function findShowcase(db: Database): Promise<number | undefined> {
  const { rows } = await sql<{ id: number }>`
    select work.id
    from works work
    join galgames galgame on galgame.id = work.id
    join galgame_characters appearance on appearance.galgame_id = work.id and appearance.role = 'MAIN'
    where not work.nsfw
    group by work.id, galgame.id
    order by galgame.covers <> '[]' desc, galgame.origin_intro is null, count(*) desc, work.id
    limit 1
  `.execute(db)
  return rows[0]?.id
}
