import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  authorizationRequest,
  basicAuthorization,
  CALLBACK,
  completeFlow,
  postToProvider,
  type TestUser,
} from '#test/authorization.ts'
import { PlainBrowser } from '#test/browser.ts'
import type { TestApp } from '#test/service.ts'
import type { RatingUsers } from './fill-ratings.ts'
import type { Service } from './service.ts'
import type { Stage } from './stage.ts'

/** Requests a user token for each user with the whole code flow. */
export async function userTokens(
  { url }: Service,
  { readers, app }: RatingUsers,
): Promise<string[]> {
  const tokens: string[] = []
  for (const user of readers)
    tokens.push(await tokenByCode(new PlainBrowser(url), user, { app, scope: 'status:write' }))
  return tokens
}

/** Requests a user token with the whole code flow, in a browser that stays signed in. */
export async function tokenByCode(
  browser: PlainBrowser,
  user: TestUser,
  { app, scope, redirectUri = CALLBACK }: { app: TestApp; scope: string; redirectUri?: string },
): Promise<string> {
  const { path, verifier } = authorizationRequest(app, { scope, redirect_uri: redirectUri })
  const { url, location = url } = await completeFlow(
    browser,
    await browser.get(path),
    user,
    redirectUri,
  )
  const { body } = await postToProvider(
    `${browser.site}/oidc/token`,
    {
      grant_type: 'authorization_code',
      code: new URL(location).searchParams.get('code') ?? '',
      code_verifier: verifier,
      redirect_uri: redirectUri,
      ...(app.secret === '' && { client_id: app.clientId }),
    },
    app.secret === '' ? {} : basicAuthorization(app),
  )
  const token = body['access_token']
  if (typeof token !== 'string') throw new Error(`No token: ${JSON.stringify(body)}`)
  return token
}

/** Writes a file with one token per line, for wrk. */
export function tokenFile({ folder }: Stage, tokens: string[]): string {
  const file = join(folder, 'tokens')
  writeFileSync(file, `${tokens.join('\n')}\n`)
  return file
}
