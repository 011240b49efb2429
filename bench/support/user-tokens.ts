import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  answerOf,
  authorizationRequest,
  basic,
  CALLBACK,
  goThrough,
  postToProvider,
} from '#test/authorization.ts'
import { PlainBrowser } from '#test/browser.ts'
import type { Readers } from './fill-ratings.ts'
import type { Service } from './service.ts'
import type { Stage } from './stage.ts'

/** A user-level token of each reader, by the whole code flow. */
export async function userTokens({ url }: Service, { readers, app }: Readers): Promise<string[]> {
  const tokens: string[] = []
  for (const reader of readers) {
    const browser = new PlainBrowser(url)
    const { path, verifier } = authorizationRequest(app, { scope: 'status:write' })
    const code = answerOf(await goThrough(browser, await browser.get(path), reader)).get('code') ?? ''
    const form = { grant_type: 'authorization_code', code, code_verifier: verifier, redirect_uri: CALLBACK }
    const { body } = await postToProvider(`${url}/oidc/token`, form, basic(app))
    const token = body['access_token']
    if (typeof token !== 'string') throw new Error(`No token: ${JSON.stringify(body)}`)
    tokens.push(token)
  }
  return tokens
}

/** A file with a token a line, for wrk. */
export function tokenFile({ folder }: Stage, tokens: string[]): string {
  const file = join(folder, 'tokens')
  writeFileSync(file, `${tokens.join('\n')}\n`)
  return file
}
