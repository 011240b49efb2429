/** The operator's own programs, made by migration 0006: they alone may hold `developer:apps` (decision 0012). */
export const CONSOLE = 'mokuroku-console'
export const COMMAND_LINE = 'mokuroku-command-line'

/** Where the console signs people in depends on where the service is. */
export const consoleRedirectUri = (baseUrl: string) => `${baseUrl}/console/callback`
