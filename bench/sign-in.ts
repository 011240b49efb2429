import { createAccount } from '../src/accounts/queries.ts'
import { hashPassword, passwordMatches } from '../src/accounts/credentials/passwords.ts'
import { formWith, PlainBrowser } from '#test/browser.ts'
import { onCatalog } from './support/catalog.ts'
import type { Claim } from './support/claim.ts'
import { runConcurrently } from './support/run-concurrently.ts'
import { toResult } from './support/report.ts'
import { compare } from './support/rounds.ts'

const SIGN_IN_USER = {
  email: 'bench@example.org',
  name: 'Bench',
  password: 'correct horse battery',
}

const DEVICE_COOKIE = 'mokuroku-device'

/** Number of concurrent sign-ins, which equals the number of threads Node has for argon2id. */
const THREADS = 4

/**
 * Measures sign-ins with a password (form and session included) against a single argon2id hash: in a known browser,
 * and in an unknown one, which also sends an email.
 */
export const signInClaim: Claim = {
  name: 'sign-in',
  async measure(stage) {
    const catalog = await stage.catalog(1_000)
    await onCatalog(catalog, (db) => createAccount(db, SIGN_IN_USER))
    const service = await stage.serve(catalog)
    const browser = new PlainBrowser(service.url)
    const form = formWith(await browser.get('/sign-in'), ['password'])
    const fields = { ...form.fields, ...SIGN_IN_USER }
    const unknownBrowser = browser.cookies()
    await browser.post('/sign-in', fields)
    const { [DEVICE_COOKIE]: device = '' } = browser.cookies()
    const hash = await hashPassword(SIGN_IN_USER.password)
    const measure = (cookies: Record<string, string>) =>
      compare(
        stage,
        () =>
          runConcurrently(
            THREADS,
            stage.seconds,
            async () => void (await passwordMatches(SIGN_IN_USER.password, hash)),
          ),
        () => {
          const signIn = () => signInWith(service.url, fields, cookies)
          return runConcurrently(THREADS, stage.seconds, signIn, () => service.cpuTime())
        },
      )
    const results = [
      toResult(
        'sign-in, known browser',
        await measure({ ...unknownBrowser, [DEVICE_COOKIE]: device }),
        0.75,
      ),
      toResult('sign-in, unknown browser', await measure(unknownBrowser), 0.75),
    ]
    await service.stop()
    return results
  },
}

/** @param cookies cookies without a session, because each sign-in starts one */
async function signInWith(
  url: string,
  fields: Record<string, string>,
  cookies: Record<string, string>,
) {
  const cookie = Object.entries(cookies)
    .map(([name, value]) => `${name}=${value}`)
    .join('; ')
  const response = await fetch(`${url}/sign-in`, {
    method: 'POST',
    headers: { cookie, origin: url },
    body: new URLSearchParams(fields),
    redirect: 'manual',
  })
  await response.arrayBuffer()
  if (response.status !== 303) throw new Error(`A sign-in was answered with ${response.status}`)
}
