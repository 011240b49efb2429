import { Command } from 'commander'
import type { DeveloperApp } from '../../../src/apps/schemas.ts'
import { confirm, YES_OPTION, type ConfirmOptions } from '../../confirm.ts'
import { JSON_OPTION, print, table, type PrintOptions } from '../../print.ts'
import { callDeveloperApi, pathOf, type ApiCall } from '../../remote/developer-api.ts'
import { printable } from '../../../src/kernel/printable.ts'
import { SERVER_OPTION, findServerUrl, type ServerOptions } from '../../remote/find-server-url.ts'
import { UsageError } from '../../usage-error.ts'
import { hoursAsSeconds } from './app-status.ts'
import { toBody, withSettings, type SettingOptions } from './app-settings.ts'

type Options = PrintOptions & ServerOptions
/** App in the response to a create, an update or a secret rotation. */
type ChangedApp = DeveloperApp & { client_secret?: string | null }

const HELP = `
These commands use the API of a mokuroku server. To log in, run
"mokuroku login". Operators can manage all apps of their server with
"mokuroku app".

Examples:
  mokuroku apps create "My launcher" --scope catalog:full
  mokuroku apps create "My library" --scope status:write user:read \\
    --redirect-uri https://library.example.org/callback
  mokuroku apps list --server https://catalog.example.org
  mokuroku apps update mk_0pF0pzMNHVcOXizc --name "My shelf" --no-redirect-uris
  mokuroku apps rotate-secret mk_0pF0pzMNHVcOXizc --json
  mokuroku apps delete mk_0pF0pzMNHVcOXizc --yes`

const APP_ARGUMENT = ['<client-id>', 'client ID, as shown by "mokuroku apps list"'] as const

export const appsCommand = () =>
  new Command('apps')
    .helpCommand(false)
    .addHelpText('after', HELP)
    .addCommand(
      withCommon(new Command('list').description('list your apps, oldest first')).action(list),
    )
    .addCommand(
      withCommon(
        withSettings(
          new Command('create')
            .description('create an app and print its ID and secret')
            .argument('<name>', 'name of the app, 1 to 64 characters'),
          'create',
        ),
      ).action(create),
    )
    .addCommand(
      withCommon(
        withSettings(
          new Command('update')
            .description('change the settings of an app, all or none')
            .argument(...APP_ARGUMENT)
            .option('--name <name>', 'name of the app, 1 to 64 characters'),
          'update',
        ),
      ).action(update),
    )
    .addCommand(
      withCommon(
        new Command('rotate-secret')
          .description(
            'replace the secret of an app; the old secret and its tokens stop working at once',
          )
          .argument(...APP_ARGUMENT)
          .option('--keep-tokens', 'keep access tokens from the old secret valid until they expire')
          .option(
            '--keep-old <hours>',
            'keep the old secret and its tokens valid for this long, up to 720',
            hoursAsSeconds,
          ),
      ).action(rotateSecret),
    )
    .addCommand(
      withCommon(
        new Command('delete')
          .description('delete an app, its grants and its tokens')
          .argument(...APP_ARGUMENT)
          .option(...YES_OPTION),
      ).action(remove),
    )

const withCommon = (command: Command) => command.option(...SERVER_OPTION).option(...JSON_OPTION)

async function list(options: Options) {
  const { data } = await callDeveloperApi(await findServerUrl(options))
  // as: the response of §4.2
  const apps = data as DeveloperApp[]
  const rows = apps.map((app) => [
    app.client_id,
    printable(app.client_name),
    app.client_type,
    app.scope ?? '-',
    app.enabled ? 'enabled' : 'disabled',
  ])
  print(
    options,
    apps,
    rows.length > 0
      ? table([['client ID', 'name', 'type', 'scopes', 'state'], ...rows])
      : ['You have no apps yet. Create one with: mokuroku apps create NAME'],
  )
}

async function create(name: string, options: Options & SettingOptions) {
  const app = await change(options, {
    method: 'POST',
    body: { ...toBody(options), client_name: name },
  })
  print(options, app, [`Created ${printable(app.client_name)}.`, ...linesOf(app)])
}

async function update(clientId: string, options: Options & SettingOptions) {
  const body = toBody(options)
  if (Object.keys(body).length === 0)
    throw new UsageError(
      'Nothing to change: give at least one setting. See mokuroku apps update --help.',
    )
  const app = await change(options, { method: 'PATCH', path: pathOf(clientId), body })
  print(options, app, [`Changed ${printable(app.client_name)}.`, ...linesOf(app)])
}

async function rotateSecret(
  clientId: string,
  options: Options & { keepTokens?: boolean; keepOld?: number },
) {
  const app = await change(options, {
    method: 'POST',
    path: `${pathOf(clientId)}/secret`,
    body: {
      revoke_tokens: !options.keepTokens && options.keepOld === undefined,
      ...(options.keepOld !== undefined && { previous_secret_expires_in: options.keepOld }),
    },
  })
  print(options, app, [`${printable(app.client_name)} has a new secret.`, ...secretLines(app)])
}

async function remove(clientId: string, options: Options & ConfirmOptions) {
  const path = pathOf(clientId)
  const server = await findServerUrl(options)
  const isConfirmed = await confirm(options, async () => {
    const { data } = await callDeveloperApi(server, { path })
    // as: the response of §4.2
    const { client_name } = data as DeveloperApp
    return `Delete ${printable(client_name)} with all its grants and tokens?`
  })
  if (!isConfirmed) {
    print(options, null, ['Nothing was deleted.'])
    return
  }
  await callDeveloperApi(server, { method: 'DELETE', path })
  print(options, { client_id: clientId, deleted: true }, [`Deleted ${clientId}.`])
}

async function change(options: Options, call: ApiCall): Promise<ChangedApp> {
  const { data, details } = await callDeveloperApi(await findServerUrl(options), call)
  const { dropped_scopes: dropped } = details
  if (Array.isArray(dropped))
    process.stderr.write(
      `Removed scopes that need a redirect URI: ${printable(dropped.join(' '))}\n`,
    )
  // as: the response of §4.2
  return data as ChangedApp
}

const linesOf = (app: ChangedApp) => [
  `  client ID      ${app.client_id}`,
  `  type           ${app.client_type}, ${app.application_type}, ${app.enabled ? 'enabled' : 'disabled'}`,
  `  scopes         ${app.scope ?? '-'}`,
  ...(app.required_scopes === undefined
    ? []
    : [`  required       ${app.required_scopes.map(printable).join(' ')}`]),
  ...app.redirect_uris.map((uri) => `  redirect uri   ${printable(uri)}`),
  ...(app.client_uri === null ? [] : [`  home page      ${printable(app.client_uri)}`]),
  ...(app.logo ? [`  logo           ${printable(app.logo)}`] : []),
  ...(app.privacy_uri === undefined ? [] : [`  privacy        ${printable(app.privacy_uri)}`]),
  ...(app.terms_uri === undefined ? [] : [`  terms          ${printable(app.terms_uri)}`]),
  ...secretLines(app),
]

const secretLines = ({ client_secret: secret, previous_secret_expires_at: oldEnd }: ChangedApp) =>
  typeof secret !== 'string'
    ? []
    : [
        `  client secret  ${secret}`,
        'The secret will not be shown again.',
        ...(oldEnd === undefined ? [] : [`The old one is valid until ${printable(oldEnd)}.`]),
      ]
