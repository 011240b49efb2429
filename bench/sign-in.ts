import { createAccount } from '../src/accounts/queries.ts'
import { hashPassword, passwordMatches } from '../src/accounts/credentials/passwords.ts'
import { openDatabase } from '../src/db/database.ts'
import { formWith, PlainBrowser } from '#test/browser.ts'
import type { Claim } from './support/claim.ts'
import { loop } from './support/loop.ts'
import { toResult } from './support/report.ts'
import { compare } from './support/rounds.ts'

const READER = { email: 'bench@example.org', name: 'Bench', password: 'correct horse battery' }

/** As many at once as Node has threads for them. */
const THREADS = 4

/** Sign-ins with a password (form, session and all), against nothing but the password's argon2id. */
export const signInClaim: Claim = {
  name: 'sign-in',
  async measure(stage) {
    const catalog = await stage.catalog(1_000)
    const { db, close } = await openDatabase({
      ...catalog,
      databasePoolSize: 1,
      databasePreparedStatements: true,
    })
    await createAccount(db, READER).finally(close)
    const service = await stage.serve(catalog)
    const browser = new PlainBrowser(service.url)
    const form = formWith(await browser.get('/sign-in'), ['password'])
    const cookie = Object.entries(browser.cookies())
      .map(([name, value]) => `${name}=${value}`)
      .join('; ')
    const request = {
      method: 'POST',
      headers: { cookie, origin: service.url },
      body: new URLSearchParams({ ...form.fields, ...READER }),
    }
    const hash = await hashPassword(READER.password)
    const comparison = await compare(
      stage,
      () => loop(THREADS, stage.seconds, async () => void (await passwordMatches(READER.password, hash))),
      () =>
        loop(
          THREADS,
          stage.seconds,
          async () => {
            const response = await fetch(`${service.url}/sign-in`, { ...request, redirect: 'manual' })
            await response.arrayBuffer()
            if (response.status !== 303) throw new Error(`A sign-in was answered with ${response.status}`)
          },
          () => service.cpuTime(),
        ),
    )
    await service.stop()
    return [toResult('sign-in with a password', comparison)]
  },
}
