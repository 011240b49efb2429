import { randomUUID } from 'node:crypto'
import { findAccount } from '../../src/accounts/queries.ts'
import { recordSignIn, type RecordedSignIn } from '../../src/accounts/sign-in/sign-in-queries.ts'
import type { Database } from '../../src/db/database.ts'
import type { Language } from '../../src/i18n/languages.ts'

/**
 * Signs an account in from a browser, like the pages.
 *
 * @param device cookie that identifies the browser
 */
export async function signInFrom(
  db: Database,
  accountId: number,
  device?: string,
  language: Language = 'en',
): Promise<RecordedSignIn> {
  const account = await findAccount(db, accountId)
  const id = randomUUID()
  const signedIn =
    account &&
    (await recordSignIn(db, account, {
      origin: { address: '192.0.2.1', userAgent: 'Browser' },
      methods: ['pwd'],
      language,
      device,
      session: {
        id,
        uid: id,
        payload: '{}',
        lifetimeSeconds: 60,
        isNew: true,
        signedInFor: undefined,
      },
    }))
  if (!signedIn) throw new Error(`${accountId} cannot sign in`)
  return signedIn
}
