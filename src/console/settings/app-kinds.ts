import { keysOf } from '../../kernel/typed-records.ts'
import { EXAMPLE_REDIRECT_URI } from '../../guide/snippets.ts'
import type { AppChange } from '../../apps/schemas.ts'

/** Kinds of apps as developers know them, with the protocol settings they imply. */
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
} satisfies Record<string, Pick<AppChange, 'client_type' | 'application_type' | 'grant_types'>>

export type AppKind = keyof typeof APP_KINDS

export const APP_KIND_NAMES = keysOf(APP_KINDS)

export const isAppKind = (text: string): text is AppKind => Object.hasOwn(APP_KINDS, text)

/** Whether apps of this kind need a redirect URI. */
export const needsRedirectUri = (kind: AppKind) => kind === 'page' || kind === 'program'

/** Returns the initial redirect URIs. A device app needs one to request user scopes. */
export const initialRedirectUris = (kind: AppKind): string[] =>
  kind === 'device' || kind === 'program' ? [EXAMPLE_REDIRECT_URI] : []
