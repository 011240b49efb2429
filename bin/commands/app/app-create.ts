import { Command, Option } from 'commander'
import { faultMessage, type RequestFault } from '../../../src/http/wire/errors/fault.ts'
import { applyChange, INITIAL_SETTINGS, type Settings } from '../../../src/apps/rules/app-rules.ts'
import { toAppResponse } from '../../../src/apps/app-response.ts'
import { createApp, type App } from '../../../src/apps/queries.ts'
import type { AppChange } from '../../../src/apps/schemas.ts'
import {
  APPLICATION_SCOPES,
  isSelectableScope,
  USER_SCOPES,
} from '../../../src/apps/rules/scopes.ts'
import { JSON_OPTION, print, type PrintOptions } from '../../print.ts'
import { UsageError } from '../../usage-error.ts'
import { withDatabase } from '../../with-database.ts'
import { positiveInteger } from './app-status.ts'

type CreateOptions = PrintOptions & {
  scope: string[]
  authMethod?: 'client_secret_basic' | 'client_secret_post'
  public?: boolean
  native?: boolean
  redirectUri: string[]
  clientUri?: string
  requestsPerMinute?: number
}

const scopeOption = new Option('--scope <scope...>', 'scopes the app may request')
  .choices([...Object.keys(APPLICATION_SCOPES), ...Object.keys(USER_SCOPES)])
  .default(['catalog:read'], 'catalog:read')
const methodOption = new Option(
  '--auth-method <method>',
  'client authentication at the token endpoint\n(default: client_secret_basic)',
).choices(['client_secret_basic', 'client_secret_post'])

const EXAMPLES = `
Examples:
  mokuroku app create "My launcher" --scope catalog:full
  mokuroku app create "My library" --scope status:write user:read \\
    --redirect-uri https://library.example.org/callback
  mokuroku app create "My program" --public --native --scope status:write \\
    --redirect-uri http://127.0.0.1:8910/callback my-program://callback`

export const createCommand = () =>
  new Command('create')
    .description('create an app and print its ID and secret')
    .argument('<name>', 'name of the app, 1 to 64 characters')
    .addOption(scopeOption)
    .addOption(methodOption)
    .option('--public', 'public client: runs on the user’s device and has no secret')
    .option('--native', 'desktop or mobile app, not a website')
    .option('--redirect-uri <uri...>', 'redirect URIs for sign-in, up to 5; compared exactly', [])
    .option('--client-uri <uri>', 'home page, https')
    .option(
      '--requests-per-minute <n>',
      'maximum catalog requests per minute\n(default: CATALOG_REQUESTS_PER_MINUTE)',
      positiveInteger,
    )
    .option(...JSON_OPTION)
    .addHelpText('after', EXAMPLES)
    .action(create)

async function create(name: string, options: CreateOptions) {
  const settings = acceptedSettings({
    client_name: name,
    scopes: options.scope,
    redirect_uris: options.redirectUri,
    client_type: options.public ? 'public' : 'confidential',
    application_type: options.native ? 'native' : 'web',
    ...(options.clientUri !== undefined && { client_uri: options.clientUri }),
    ...(options.authMethod && { token_endpoint_auth_method: options.authMethod }),
  })
  const { app, secret } = await withDatabase((db) =>
    createApp(db, {
      clientName: settings.client_name,
      scopes: settings.scopes,
      clientType: settings.client_type,
      applicationType: settings.application_type,
      tokenEndpointAuthMethod: settings.token_endpoint_auth_method,
      redirectUris: settings.redirect_uris,
      clientUri: settings.client_uri,
      requestsPerMinute: options.requestsPerMinute ?? null,
    }),
  )
  print(options, { ...serializeApp(app), ...(secret !== undefined && { client_secret: secret }) }, [
    `Created ${app.client_name} (${app.scopes.join(' ')}).`,
    `  client ID      ${app.client_id}`,
    ...(secret === undefined
      ? ['The app is public and has no secret.']
      : [`  client secret  ${secret}`, 'The secret will not be shown again.']),
  ])
}

/** Serializes an app as in §2.11, with the fields that only the operator sees. */
export function serializeApp(app: App) {
  const { grant_types: _grantTypes, ...response } = toAppResponse(app, '')
  return { ...response, requests_per_minute: app.requests_per_minute }
}

/**
 * Validates the settings of a new app by the rules of the developer API. The operator may grant any scope.
 *
 * @throws {UsageError} with one line per fault
 */
function acceptedSettings(
  change: AppChange & { scopes: string[]; redirect_uris: string[] },
): Settings {
  const givenByOperator = change.scopes.filter((scope) => !isSelectableScope(scope))
  const outcome = applyChange({ ...INITIAL_SETTINGS, scopes: givenByOperator }, change)
  if ('settings' in outcome) return outcome.settings
  throw new UsageError(outcome.faults.map((fault) => describeFault(fault, change)).join('\n'))
}

/** Describes a fault in terms of the options, because the rules name fields of the API. */
function describeFault(fault: RequestFault, change: { scopes: string[]; redirect_uris: string[] }) {
  const [name, index] = fault.field.split('.')
  const message = faultMessage(fault)
  switch (name) {
    case 'client_name':
      return `The name ${message}.`
    case 'client_uri':
      return '--client-uri must be an https URL without a fragment, user name or password.'
    case 'redirect_uris':
      return `${index === undefined ? 'Redirect URIs' : change.redirect_uris[Number(index)]} ${message}.`
    case 'scopes':
      return `${change.scopes[Number(index)]} is granted by users. Add a --redirect-uri to sign them in.`
    case 'token_endpoint_auth_method':
      return '--auth-method requires an app with a secret. Omit it with --public.'
    default:
      return `${fault.field} ${message}.`
  }
}
