import { EXAMPLE_REDIRECT_URI } from '../../guide/snippets.ts'
import type { AppChange } from '../../apps/schemas.ts'

/** What a new app is, in the words of who makes it; and what that means for the protocol. */
export const APP_KINDS = {
  server: { client_type: 'confidential', application_type: 'web' },
  page: { client_type: 'public', application_type: 'web' },
  program: { client_type: 'public', application_type: 'native' },
  device: { client_type: 'public', application_type: 'native' },
  bot: {
    client_type: 'confidential',
    application_type: 'web',
    grant_types: ['client_credentials'],
  },
} as const satisfies Record<string, AppKindSettings>

type AppKindSettings = {
  client_type: 'confidential' | 'public'
  application_type: 'web' | 'native'
  grant_types?: AppChange['grant_types']
}

export type AppKind = keyof typeof APP_KINDS

// as: the keys of that very table
export const APP_KIND_NAMES = Object.keys(APP_KINDS) as AppKind[]

export const isAppKind = (text: string): text is AppKind => Object.hasOwn(APP_KINDS, text)

/** Whether it is nothing without an address to come back to. */
export const needsAddress = (kind: AppKind) => kind === 'page' || kind === 'program'

/** What stands in the fields at first: a device's app can hold what users grant once it has an address. */
export const firstAddresses = (kind: AppKind): string[] =>
  kind === 'device' || kind === 'program' ? [EXAMPLE_REDIRECT_URI] : []
