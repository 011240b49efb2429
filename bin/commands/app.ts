import { Command, InvalidArgumentError, Option } from 'commander'
import { createApp, listApps, type App } from '../../src/apps/queries.ts'
import { APPLICATION_SCOPES } from '../../src/apps/scopes.ts'
import { JSON_OPTION, print, table, type PrintOptions } from '../print.ts'
import { UsageError } from '../usage-error.ts'
import { withDatabase } from '../with-database.ts'

type CreateOptions = PrintOptions & {
  scope: string[]
  authMethod: 'client_secret_basic' | 'client_secret_post'
  requestsPerMinute?: number
}

const scopeOption = new Option('--scope <scope...>', 'scopes it may request')
  .choices(Object.keys(APPLICATION_SCOPES))
  .default(['catalog:read'], 'catalog:read')
const methodOption = new Option('--auth-method <method>', 'how it authenticates at the token endpoint')
  .choices(['client_secret_basic', 'client_secret_post'])
  .default('client_secret_basic', 'client_secret_basic')

export const appCommand = () =>
  new Command('app')
    .description('manage apps (OAuth clients)')
    .helpCommand(false)
    .addCommand(
      new Command('create')
        .description('create a confidential app and print its secret')
        .argument('<name>', 'what it is called, 1 to 64 characters')
        .addOption(scopeOption)
        .addOption(methodOption)
        .option(
          '--requests-per-minute <n>',
          'catalog requests it may make in a minute;\nby default CATALOG_REQUESTS_PER_MINUTE',
          positiveInteger,
        )
        .option(...JSON_OPTION)
        .addHelpText('after', '\nExample: mokuroku app create "My launcher" --scope catalog:full')
        .action(create),
    )
    .addCommand(
      new Command('list')
        .description('list every app, oldest first')
        .option(...JSON_OPTION)
        .action(list),
    )

async function create(name: string, { scope, authMethod, requestsPerMinute, ...options }: CreateOptions) {
  const clientName = name.trim()
  if (clientName === '' || [...clientName].length > 64 || /\p{Cc}/u.test(clientName))
    throw new UsageError('A name has 1 to 64 characters, none of them control characters.')
  const { app, secret } = await withDatabase((db) =>
    createApp(db, {
      clientName,
      scopes: scope,
      tokenEndpointAuthMethod: authMethod,
      requestsPerMinute: requestsPerMinute ?? null,
    }),
  )
  print(options, { ...toWire(app), client_secret: secret }, [
    `Created ${app.client_name} (${app.scopes.join(' ')}).`,
    `  client id      ${app.client_id}`,
    `  client secret  ${secret}`,
    'The secret is shown only now.',
  ])
}

async function list(options: PrintOptions) {
  const apps = await withDatabase((db) => listApps(db))
  const rows = apps.map((app) => [
    app.client_id,
    app.client_name,
    app.scopes.join(' '),
    app.enabled ? 'enabled' : 'disabled',
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
    client_uri,
    redirect_uris,
    enabled,
    requests_per_minute,
    created_at,
  } = app
  const { token_endpoint_auth_method } = app
  const scope = app.scopes.join(' ') || null
  return {
    client_id,
    client_name,
    client_type,
    token_endpoint_auth_method,
    scope,
    client_uri,
    redirect_uris,
    enabled,
    requests_per_minute,
    created_at,
  }
}

function positiveInteger(value: string) {
  if (!/^[1-9]\d{0,8}$/.test(value)) throw new InvalidArgumentError('It must be a whole number, at least 1.')
  return Number(value)
}
