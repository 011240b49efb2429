import { startBareProvider } from './floors/start.ts'
import type { Claim } from './support/claim.ts'
import { toResult } from './support/report.ts'
import { compare } from './support/rounds.ts'
import { encodeCredentials, TOKEN_FORM } from './support/service.ts'
import { speedOf } from './support/speed.ts'

/** Measures an app token (client_credentials, ES256) against bare oidc-provider. */
export const token: Claim = {
  name: 'token',
  async measure(stage) {
    const catalog = await stage.catalog()
    const service = await stage.serve(catalog)
    const floor = await startBareProvider(stage, 'bare-oidc.ts', catalog.app)
    const load = { form: TOKEN_FORM, headers: { authorization: encodeCredentials(catalog.app) } }
    const comparison = await compare(
      stage,
      speedOf(stage, floor, { url: `${floor.url}/token`, ...load }),
      speedOf(stage, service, { url: `${service.url}/oidc/token`, ...load }),
    )
    await Promise.all([service.stop(), floor.stop()])
    return [toResult('application token', comparison, 0.9)]
  },
}
