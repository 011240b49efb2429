/** The operator's own apps, created by migration 0006. Only these may hold `developer:apps` (decision 0012). */
export const CONSOLE_CLIENT_ID = 'mokuroku-console'
export const COMMAND_LINE_CLIENT_ID = 'mokuroku-command-line'

/** Redirect URI of the console, which depends on the service's base URL. */
export const consoleRedirectUri = (baseUrl: string) => `${baseUrl}/console/callback`

/** API reference, where users try operations. It has no access to apps. Created at startup. */
export const REFERENCE_CLIENT_ID = 'mokuroku-reference'

/** Whether an app ships with the program, rather than being created by the operator or a developer. */
export const isBuiltIn = (clientId: string): boolean =>
  [CONSOLE_CLIENT_ID, COMMAND_LINE_CLIENT_ID, REFERENCE_CLIENT_ID].includes(clientId)

/** Scopes that the API reference may request. */
export const REFERENCE_SCOPES = [
  'catalog:read',
  'catalog:full',
  'user:read',
  'status:write',
  'status:notes',
  'collection:write',
]

/** Redirect URI of the API reference, on the origin of the sign-in pages. */
export const referenceRedirectUri = (authUrl: string) => `${authUrl}/docs/callback`
