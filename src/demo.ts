import { randomBytes, randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { sql } from 'kysely'
import { changePassword } from './accounts/credentials/password-queries.ts'
import { createAccount, findAccount } from './accounts/queries.ts'
import { CONSOLE_CLIENT_ID, consoleRedirectUri } from './apps/operator/first-party.ts'
import { replaceSecret } from './apps/operator/operator-queries.ts'
import { createApp, findApps, type App, type NewApp } from './apps/queries.ts'
import { USER_SCOPES } from './apps/rules/scopes.ts'
import type { Config } from './config/config.ts'
import { holdLock } from './db/advisory-locks.ts'
import type { Database } from './db/database.ts'
import { readDemoFile, writeDemoFile, type Demo, type DemoApp } from './demo-file.ts'
import { loadSample } from './sample.ts'

/**
 * State of the demo in the database: whether this installation has a demo, whether its database was created with the
 * sample, and which account and apps belong to the demo. Only the id identifies the demo account. A different account
 * with the demo's email address belongs to a person.
 */
type DemoState = {
  wanted: boolean
  has_sample?: boolean
  account_id?: number
  client_ids?: string[]
  /** Hash of the demo's own password. Missing in databases created by older versions. */
  password_hash?: string
  /** Id of the last renewal of the secrets, also stored in `demo.json`. */
  renewal?: string
}

/** State stored in the packed database with the sample, with which the first start of a demo begins. */
export const PACKED_DEMO_STATE: DemoState = { wanted: true, has_sample: true }

/** The demo's apps, oldest first. A demo created by an older version has only the first ones and gets the rest. */
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

/** RFC 2606 reserves the top-level domain, so no person receives this email. */
const EMAIL = 'demo@mokuroku.invalid'

/**
 * Creates the demo on the first start of an installation and finds it again on later ones: the bundled sample, an
 * account and four apps. Resumes an interrupted start. Never deletes anything: if `demo.json` is lost or broken, the
 * same account and apps get new secrets.
 *
 * @param wanted whether a new installation gets the demo; by default, if it is embedded and its catalog is empty. An
 * existing installation keeps its first choice
 * @param onProgress receives progress messages
 * @returns the content of `demo.json`, or `undefined` if this installation has no demo or another process has its file
 * @throws {Error} if `demo.json` exists but cannot be read
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
    if (wanted) onProgress('No demo is created: this database was first started without one')
    return undefined
  }
  const path = join(dataDir, 'demo.json')
  const file = await readDemoFile(path)
  if (state.account_id !== undefined) {
    if (!(await findAccount(db, state.account_id))) {
      onProgress('The demo no longer exists: its account was deleted')
      return undefined
    }
    // The file may be on another machine, where its secrets must stay valid.
    if (!isCurrent(file, state) && !embedded && !wanted) {
      if (file !== 'missing')
        onProgress(
          `${path} does not belong to this database. Start with --demo to renew the demo's secrets`,
        )
      return undefined
    }
    if (!isCurrent(file, state) && (await hasOwner(db, state))) {
      onProgress(
        "The address or password of the demo account was changed, so the demo's secrets are not renewed",
      )
      return undefined
    }
  } else if (!state.has_sample) await loadSample(db, onProgress)
  return updateDemo(db, path, baseUrl, onProgress)
}

const findDemoLogin = (db: Database, id: number) =>
  db
    .selectFrom('accounts')
    .select(['email', 'password_hash'])
    .where('id', '=', id)
    .executeTakeFirst()

/** Whether a person has changed the email address or password of the demo account. */
async function hasOwner(db: Database, { account_id = 0, password_hash }: DemoState) {
  const login = await findDemoLogin(db, account_id)
  return (
    login?.email !== EMAIL || (password_hash !== undefined && login.password_hash !== password_hash)
  )
}

/** Stores whether there is a demo. The first start decides permanently. */
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
  const { rows } = await sql<{
    found: boolean
  }>`select exists (select from works) as found`.execute(db)
  return rows[0]?.found === true
}

/**
 * Creates the demo, adds apps that newer versions introduced, and renews the secrets if the file lacks them. The file is
 * written before the commit. After a crash between the two, the database does not know the file's renewal id, so the next
 * start renews again.
 */
async function updateDemo(
  db: Database,
  path: string,
  baseUrl: string,
  onProgress: (line: string) => void,
): Promise<Demo> {
  return db.transaction().execute(async (trx) => {
    await holdLock(trx, 'demo')
    // Another process may have changed both while this one waited for the lock.
    const [state, file] = [await readState(trx), await readDemoFile(path)]
    const isComplete = state.client_ids !== undefined && state.client_ids.length >= APPS.length
    const current = isCurrent(file, state) ? withKnownApps(file, state) : undefined
    if (current && isComplete) {
      const demo = withConsole(current, baseUrl)
      if (isDeepStrictEqual(file, demo)) return demo
    }
    const { account_id, ...known } =
      state.account_id === undefined
        ? await createDemo(trx, onProgress)
        : current
          ? { ...current, account_id: state.account_id }
          : await renewDemo(trx, state.account_id, state.client_ids ?? [], path, file, onProgress)
    const added = await createApps(trx, account_id, APPS.slice(state.client_ids?.length ?? 0))
    const demo = withConsole({ ...known, apps: [...known.apps, ...added] }, baseUrl)
    const login = isCurrent(file, state) ? undefined : await findDemoLogin(trx, account_id)
    await saveState(trx, {
      ...state,
      account_id,
      ...(login?.password_hash != null && { password_hash: login.password_hash }),
      client_ids: [...(state.client_ids ?? []), ...added.map(({ client_id }) => client_id)],
      ...(known.renewal !== undefined && { renewal: known.renewal }),
    })
    await writeDemoFile(path, demo)
    return demo
  })
}

/** Whether the file holds the secrets that the database expects. */
function isCurrent(file: Demo | 'missing' | 'broken', state: DemoState): file is Demo {
  if (typeof file === 'string' || file.renewal !== state.renewal) return false
  // Without a renewal, compares the apps, because the file may belong to a different database.
  const ids = new Set(file.apps.map(({ client_id }) => client_id))
  return state.renewal !== undefined || Boolean(state.client_ids?.every((id) => ids.has(id)))
}

/** Returns the demo without the apps of a process that was killed between writing the file and the commit. */
const withKnownApps = (demo: Demo, { client_ids = [] }: DemoState): Demo => ({
  ...demo,
  apps: demo.apps.filter(({ client_id }) => client_ids.includes(client_id)),
})

type StoredDemo = Pick<Demo, 'account' | 'apps' | 'renewal'> & { account_id: number }

async function createDemo(trx: Database, onProgress: (line: string) => void): Promise<StoredDemo> {
  onProgress('Creating the demo account and its apps')
  const account = { email: EMAIL, password: newPassword() }
  const account_id = await createAccount(trx, { ...account, name: 'Demo' })
  if (account_id === undefined)
    throw new Error(
      `The address ${EMAIL} already belongs to an account that is not the demo's. ` +
        'Delete the account with mokuroku account delete, or start with --no-demo.',
    )
  return { account_id, account, apps: [] }
}

/** Gives the demo account a new password and its apps new secrets. Ratings, grants and ids stay the same. */
async function renewDemo(
  trx: Database,
  account_id: number,
  clientIds: string[],
  path: string,
  file: Demo | 'missing' | 'broken',
  onProgress: (line: string) => void,
): Promise<StoredDemo> {
  const account = await findAccount(trx, account_id)
  if (!account) throw new Error('The demo account was deleted during startup. Start again.')
  const password = newPassword()
  const fault = typeof file === 'string' ? file : 'out of date'
  onProgress(
    `${path} is ${fault}: renewing the demo account's password and the demo apps' secrets. ` +
      'Ratings and ids stay the same',
  )
  await changePassword(trx, account_id, password)
  const found = new Map((await findApps(trx, clientIds)).map((app) => [app.client_id, app]))
  const apps: DemoApp[] = []
  for (const id of clientIds) {
    const app = found.get(id)
    if (app?.account_id === account_id) apps.push(describeApp(app, await replaceSecret(trx, id)))
  }
  return { account_id, account: { email: account.email, password }, apps, renewal: randomUUID() }
}

const newPassword = () => randomBytes(12).toString('base64url')

async function createApps(trx: Database, accountId: number, apps: typeof APPS): Promise<DemoApp[]> {
  const created: DemoApp[] = []
  for (const demoApp of apps) {
    const { app, secret } = await createApp(trx, { ...demoApp, accountId })
    created.push(describeApp(app, secret))
  }
  return created
}

const describeApp = (app: App, secret: string | undefined): DemoApp => ({
  client_id: app.client_id,
  ...(secret !== undefined && { client_secret: secret }),
  client_type: app.client_type,
  scope: app.scopes.join(' '),
  redirect_uris: app.redirect_uris,
})

async function saveState(trx: Database, state: DemoState) {
  await trx
    .updateTable('installation')
    .set({ value: JSON.stringify(state) })
    .where('name', '=', 'demo')
    .execute()
}

/** Returns the demo with the console app added to its own apps. */
function withConsole({ account, apps, renewal }: Omit<Demo, 'base_url'>, baseUrl: string): Demo {
  const consoleApp: DemoApp = {
    client_id: CONSOLE_CLIENT_ID,
    client_type: 'public',
    scope: 'developer:apps',
    redirect_uris: [consoleRedirectUri(baseUrl)],
  }
  const own = apps.filter(({ client_id }) => client_id !== CONSOLE_CLIENT_ID)
  return {
    base_url: baseUrl,
    account,
    apps: [...own, consoleApp],
    ...(renewal !== undefined && { renewal }),
  }
}

/** Finds a galgame with main characters and many other details, for the commands shown to first-time users. */
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
