/** The operator's own programs, made by migration 0006: these two alone may hold `developer:apps` (decision 0012). */
export const CONSOLE_CLIENT_ID = 'mokuroku-console'
export const COMMAND_LINE_CLIENT_ID = 'mokuroku-command-line'

/** Where the console signs people in depends on where the service is. */
export const consoleRedirectUri = (baseUrl: string) => `${baseUrl}/console/callback`

/** The reference of the API, in which operations are tried; it may not touch apps. Made at the start. */
export const REFERENCE_CLIENT_ID = 'mokuroku-reference'

/** Whether an app ships with the program, instead of being created by the operator or a developer. */
export const isBuiltIn = (clientId: string): boolean =>
  [CONSOLE_CLIENT_ID, COMMAND_LINE_CLIENT_ID, REFERENCE_CLIENT_ID].includes(clientId)

/** What it may ask its reader for. */
export const REFERENCE_SCOPES = [
  'catalog:read',
  'catalog:full',
  'user:read',
  'status:write',
  'collection:write',
]

/** Pages are where people sign in. */
export const referenceRedirectUri = (authUrl: string) => `${authUrl}/docs/callback`
