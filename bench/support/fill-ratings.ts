import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { createAccount } from '../../src/accounts/queries.ts'
import { CALLBACK, type TestUser } from '#test/authorization.ts'
import { makeApp, onCatalog, type Catalog } from './catalog.ts'

/** Number of rated works, which is also the number of ratings of each user. */
export const RATED_WORKS = 1_000

const PASSWORD = 'correct horse battery'

/** Users who sign in, and their app. */
export type RatingUsers = { readers: TestUser[]; app: { clientId: string; secret: string } }

/** Creates accounts that can sign in, and an app that may write their ratings. */
export async function addUsers(catalog: Catalog, count: number): Promise<RatingUsers> {
  return onCatalog(catalog, async (db) => {
    const users: TestUser[] = []
    for (let index = 0; index < count; index += 1) {
      const user = {
        email: `reader-${randomUUID()}@example.org`,
        name: `Reader ${index}`,
        password: PASSWORD,
      }
      const id = await createAccount(db, user)
      if (id === undefined) throw new Error(`${user.email} is taken`)
      users.push({ id, ...user })
    }
    const app = await makeApp(db, { scopes: ['status:write'], redirectUris: [CALLBACK] })
    return { readers: users, app }
  })
}

/**
 * Writes ratings of users who cannot sign in: all rated works for each, with varied scores and statuses. Writes no
 * history or deltas, because none of these rows is measured.
 */
export async function fillRatings(catalog: Catalog, count: number) {
  await onCatalog(catalog, async (db) => {
    await sql`set statement_timeout = 0`.execute(db)
    await sql`
      insert into accounts (email, password_hash, name)
      select 'silent-' || n || '@example.org', 'none', 'Silent'
      from generate_series(1, ${sql.lit(Math.ceil(count / RATED_WORKS))}) n`.execute(db)
    await sql`insert into account_refs (id) select id from accounts where name = 'Silent'`.execute(
      db,
    )
    await sql`alter table ratings disable trigger all`.execute(db)
    // Otherwise it would continue during the next measurement.
    await sql`alter table ratings set (autovacuum_enabled = false)`.execute(db)
    await sql`
      insert into ratings (account_id, work_id, kind, status, rate, created_at, updated_at)
      select account.id, work, 'galgame', 'COMPLETED', 1 + (account.id * 31 + work * 17) % 10, moment, moment
      from (select id, now() - id * interval '1 minute' as moment from accounts where name = 'Silent') account
      cross join generate_series(1, ${sql.lit(RATED_WORKS)}) work
      limit ${sql.lit(count)}`.execute(db)
    await sql`alter table ratings enable trigger all`.execute(db)
    await sql`vacuum analyze ratings`.execute(db)
  })
}

/** Creates ratings of one user for the given number of works, one after another. */
export async function fillShelf(catalog: Catalog, accountId: number, count: number) {
  await onCatalog(catalog, async (db) => {
    await sql`
      insert into ratings (account_id, work_id, kind, status, rate, updated_at)
      select ${accountId}, n, 'galgame', 'COMPLETED', 1 + n % 10, now() - n * interval '1 minute'
      from generate_series(1, ${sql.lit(count)}) n`.execute(db)
    await sql`vacuum analyze ratings`.execute(db)
  })
}
