import { createAccount } from '../src/accounts/queries.ts'
import {
  authorizationResponse,
  authorizationRequest,
  basicAuthorization,
  CALLBACK,
  completeFlow,
  postToProvider,
} from '#test/authorization.ts'
import { PlainBrowser } from '#test/browser.ts'
import { startBareProvider } from './floors/start.ts'
import { makeApp, onCatalog } from './support/catalog.ts'
import type { ServerProcess } from './support/children.ts'
import type { Claim } from './support/claim.ts'
import { runConcurrently } from './support/run-concurrently.ts'
import { toResult } from './support/report.ts'
import { compare } from './support/rounds.ts'

const AT_ONCE = 8
const FLOW_USER = {
  id: 0,
  email: 'flow@example.org',
  name: 'Flow',
  password: 'correct horse battery',
}

/**
 * Measures the code flow of a user who is signed in and has consented (authorization request, code, tokens) against
 * bare oidc-provider.
 */
export const codeFlow: Claim = {
  name: 'code-flow',
  async measure(stage) {
    const catalog = await stage.catalog(1_000)
    const client = await onCatalog(catalog, async (db) => {
      await createAccount(db, FLOW_USER)
      return makeApp(db, { scopes: ['status:write'], redirectUris: [CALLBACK] })
    })
    const [service, floor] = await Promise.all([
      stage.serve(catalog),
      startBareProvider(stage, 'bare-flow.ts', client),
    ])

    async function flowAt(server: ServerProcess, prefix: string) {
      const browsers = Array.from({ length: AT_ONCE }, () => new PlainBrowser(server.url))
      const request = () => {
        const { path, verifier } = authorizationRequest(client)
        return { path: path.replace('/oidc', prefix), verifier }
      }
      for (const browser of browsers)
        await completeFlow(browser, await browser.get(request().path), FLOW_USER)
      return () =>
        runConcurrently(
          AT_ONCE,
          stage.seconds,
          async (worker) => {
            const { path, verifier } = request()
            const browser = browsers[worker] ?? new PlainBrowser(server.url)
            const code = authorizationResponse(await browser.get(path)).get('code') ?? ''
            const form = {
              grant_type: 'authorization_code',
              code,
              code_verifier: verifier,
              redirect_uri: CALLBACK,
            }
            const { status } = await postToProvider(
              `${server.url}${prefix}/token`,
              form,
              basicAuthorization(client),
            )
            if (status !== 200) throw new Error(`A code was answered with ${status}`)
          },
          () => server.cpuTime(),
        )
    }
    const comparison = await compare(stage, await flowAt(floor, ''), await flowAt(service, '/oidc'))
    await Promise.all([service.stop(), floor.stop()])
    return [toResult('code flow, signed in', comparison, 0.9)]
  },
}
