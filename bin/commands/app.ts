import { Command, InvalidArgumentError, Option } from 'commander'
import { createApp, isEnabled, listApps, type App } from '../../src/apps/queries.ts'
import { faultOfRedirectUri } from '../../src/apps/redirect-uris.ts'
import { APPLICATION_SCOPES, isApplicationScope, USER_SCOPES } from '../../src/apps/scopes.ts'
import { JSON_OPTION, print, table, type PrintOptions } from '../print.ts'
import { UsageError } from '../usage-error.ts'
import { withDatabase } from '../with-database.ts'
import { disableCommand, enableCommand, limitCommand, positiveInteger } from './app-standing.ts'

type CreateOptions = PrintOptions & {
  scope: string[]
  authMethod: 'client_secret_basic' | 'client_secret_post'
  public?: boolean
  native?: boolean
  redirectUri: string[]
  clientUri?: string
  requestsPerMinute?: number
}

const scopeOption = new Option('--scope <scope...>', 'scopes it may request')
  .choices([...Object.keys(APPLICATION_SCOPES), ...Object.keys(USER_SCOPES)])
  .default(['catalog:read'], 'catalog:read')
const methodOption = new Option('--auth-method <method>', 'how it authenticates at the token endpoint')
  .choices(['client_secret_basic', 'client_secret_post'])
  .default('client_secret_basic', 'client_secret_basic')

const EXAMPLES = `
Examples:
  mokuroku app create "My launcher" --scope catalog:full
  mokuroku app create "My library" --scope status:write user:read \\
    --redirect-uri https://library.example.org/callback
  mokuroku app create "My program" --public --native --scope status:write \\
    --redirect-uri http://127.0.0.1:8910/callback my-program://callback`

export const appCommand = () =>
  new Command('app')
    .description('manage apps (OAuth clients)')
    .helpCommand(false)
    .addCommand(
      new Command('create')
        .description('create an app and print its id and secret')
        .argument('<name>', 'what it is called, 1 to 64 characters')
        .addOption(scopeOption)
        .addOption(methodOption)
        .option('--public', 'it cannot keep a secret: a program or a page on its user’s device')
        .option('--native', 'it is a program of a desktop or a phone, not a website')
        .option(
          '--redirect-uri <uri...>',
          'where it signs people in, up to 5; to the letter what it will send',
          collectRedirectUris,
          [],
        )
        .option('--client-uri <uri>', 'its home page, https')
        .option(
          '--requests-per-minute <n>',
          'catalog requests it may make in a minute;\nby default CATALOG_REQUESTS_PER_MINUTE',
          positiveInteger,
        )
        .option(...JSON_OPTION)
        .addHelpText('after', EXAMPLES)
        .action(create),
    )
    .addCommand(
      new Command('list')
        .description('list every app, oldest first')
        .option(...JSON_OPTION)
        .action(list),
    )
    .addCommand(disableCommand())
    .addCommand(enableCommand())
    .addCommand(limitCommand())

async function create(name: string, options: CreateOptions) {
  const { scope, authMethod, redirectUri, clientUri, requestsPerMinute } = options
  const clientName = name.trim()
  if (clientName === '' || [...clientName].length > 64 || /\p{Cc}/u.test(clientName))
    throw new UsageError('A name has 1 to 64 characters, none of them control characters.')
  if (clientUri !== undefined && !(URL.parse(clientUri)?.protocol === 'https:' && !clientUri.includes('#')))
    throw new UsageError('--client-uri is an https address without a fragment.')
  const forUsers = scope.find((held) => !isApplicationScope(held))
  if (forUsers !== undefined && redirectUri.length === 0)
    throw new UsageError(`${forUsers} is granted by users: give a --redirect-uri where it signs them in.`)
  const { app, secret } = await withDatabase((db) =>
    createApp(db, {
      clientName,
      scopes: scope,
      clientType: options.public ? 'public' : 'confidential',
      applicationType: options.native ? 'native' : 'web',
      tokenEndpointAuthMethod: authMethod,
      redirectUris: redirectUri,
      clientUri: clientUri ?? null,
      requestsPerMinute: requestsPerMinute ?? null,
    }),
  )
  print(options, { ...toWire(app), ...(secret !== undefined && { client_secret: secret }) }, [
    `Created ${app.client_name} (${app.scopes.join(' ')}).`,
    `  client id      ${app.client_id}`,
    ...(secret === undefined
      ? ['It is public and has no secret.']
      : [`  client secret  ${secret}`, 'The secret is shown only now.']),
  ])
}

async function list(options: PrintOptions) {
  const apps = await withDatabase((db) => listApps(db))
  const rows = apps.map((app) => [
    app.client_id,
    app.client_name,
    app.scopes.join(' '),
    isEnabled(app) ? 'enabled' : 'disabled',
  ])
  print(
    options,
    apps.map(toWire),
    apps.length > 0 ? table([['client id', 'name', 'scopes', 'state'], ...rows]) : ['There are no apps yet.'],
  )
}

/** An app as §2.11 shows it, and what only its operator sees. */
function toWire(app: App) {
  const {
    client_id,
    client_name,
    client_type,
    application_type,
    client_uri,
    redirect_uris,
    requests_per_minute,
    created_at,
  } = app
  const { token_endpoint_auth_method } = app
  const scope = app.scopes.join(' ') || null
  return {
    client_id,
    client_name,
    client_type,
    application_type,
    token_endpoint_auth_method,
    scope,
    client_uri,
    redirect_uris,
    enabled: isEnabled(app),
    requests_per_minute,
    created_at,
  }
}

function collectRedirectUris(uri: string, collected: string[]) {
  const fault = faultOfRedirectUri(uri)
  if (fault !== undefined) throw new InvalidArgumentError(`${uri} ${fault}.`)
  if (collected.includes(uri)) throw new InvalidArgumentError(`${uri} is given twice.`)
  if (collected.length === 5) throw new InvalidArgumentError('An app has at most 5.')
  return [...collected, uri]
}
