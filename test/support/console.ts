import { createOwnApp } from '../../src/apps/owner-queries.ts'
import { findApps } from '../../src/apps/queries.ts'
import { createUser, signedInBrowser } from './authorization.ts'
import type { TestService } from './service.ts'

export const APP_CALLBACK = 'https://example.org/callback'

/** Pages of an app in the console, below its own path. */
export const APP_PAGES = [
  '',
  '/settings',
  '/secrets',
  '/usage',
  '/webhooks',
  '/webhooks/:endpoint',
  '/try',
  '/try/callback?code=a&state=b',
  '/try/device',
]

/** Returns the client ID on the page that shows a new app. */
export const clientIdIn = (text: string) =>
  /id="client-id" value="(mk_[\w-]+)"/.exec(text)?.[1] ?? ''

/** Signs in a developer with a browser without scripts. */
export async function openConsole(service: TestService) {
  const developer = await createUser(service, 'Dora')
  return {
    developer,
    browser: await signedInBrowser(service, developer),
    /** Creates an app in the database. */
    create: async (settings: object = {}, owner = developer) => {
      const app = { client_name: 'An app', ...settings }
      return (await createOwnApp(service.db, owner.id, app, 1_000, async () => {})).app
    },
    stored: async (clientId: string) => (await findApps(service.db, [clientId]))[0],
  }
}

export type OpenConsole = Awaited<ReturnType<typeof openConsole>>
