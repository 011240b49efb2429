import { Command } from 'commander'
import type { DeveloperApp } from '../../../src/apps/schemas.ts'
import { confirmed, YES_OPTION, type ConfirmOptions } from '../../confirm.ts'
import { JSON_OPTION, print, table, type PrintOptions } from '../../print.ts'
import { askDeveloperApi, pathOf, type Call } from '../../remote/developer-api.ts'
import { printable } from '../../../src/kernel/printable.ts'
import { SERVER_OPTION, serverAddress, type ServerOptions } from '../../remote/server-address.ts'
import { UsageError } from '../../usage-error.ts'
import { hoursAsSeconds } from './app-status.ts'
import { toBody, withSettings, type SettingOptions } from './app-settings.ts'

type Options = PrintOptions & ServerOptions
/** As the API answers when it is created, changed or given a new secret. */
type ChangedApp = DeveloperApp & { client_secret?: string | null }

const HELP = `
They work at any mokuroku server, through its API: log in there first with
"mokuroku login". (Operators of a server have "mokuroku app" for everybody's.)

Examples:
  mokuroku apps create "My launcher" --scope catalog:full
  mokuroku apps create "My library" --scope status:write user:read \\
    --redirect-uri https://library.example.org/callback
  mokuroku apps list --server https://catalog.example.org
  mokuroku apps update mk_0pF0pzMNHVcOXizc --name "My shelf" --no-redirect-uris
  mokuroku apps rotate-secret mk_0pF0pzMNHVcOXizc --json
  mokuroku apps delete mk_0pF0pzMNHVcOXizc --yes`

const WHICH = ['<client-id>', 'its client id, as "mokuroku apps list" shows it'] as const

export const appsCommand = () =>
  new Command('apps')
    .description('manage your own apps at a server')
    .helpCommand(false)
    .addHelpText('after', HELP)
    .addCommand(
      withCommon(new Command('list').description('list your apps, oldest first')).action(list),
    )
    .addCommand(
      withCommon(
        withSettings(
          new Command('create')
            .description('create an app and print its id and secret')
            .argument('<name>', 'what it is called, 1 to 64 characters'),
          'create',
        ),
      ).action(create),
    )
    .addCommand(
      withCommon(
        withSettings(
          new Command('update')
            .description('change what is said of an app, all of it or nothing')
            .argument(...WHICH)
            .option('--name <name>', 'what it is called, 1 to 64 characters'),
          'update',
        ),
      ).action(update),
    )
    .addCommand(
      withCommon(
        new Command('rotate-secret')
          .description(
            'give an app a new secret; the old one stops working at once, and its tokens',
          )
          .argument(...WHICH)
          .option(
            '--keep-tokens',
            'access tokens it got with the old secret work until they expire',
          )
          .option(
            '--keep-old <hours>',
            'the old secret stays good beside the new one, and so do its tokens; up to 720',
            hoursAsSeconds,
          ),
      ).action(rotateSecret),
    )
    .addCommand(
      withCommon(
        new Command('delete')
          .description('delete an app with its grants and tokens')
          .argument(...WHICH)
          .option(...YES_OPTION),
      ).action(remove),
    )

const withCommon = (command: Command) => command.option(...SERVER_OPTION).option(...JSON_OPTION)

async function list(options: Options) {
  const { data } = await askDeveloperApi(await serverAddress(options))
  // as: §4.2
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
      ? table([['client id', 'name', 'type', 'scopes', 'state'], ...rows])
      : ['You have no apps yet. Create one: mokuroku apps create NAME'],
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
    throw new UsageError('Say what to change. See mokuroku apps update --help.')
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
  const server = await serverAddress(options)
  const isConfirmed = await confirmed(options, async () => {
    const { data } = await askDeveloperApi(server, { path })
    // as: §4.2
    const { client_name } = data as DeveloperApp
    return `Delete ${printable(client_name)}, with everybody's grants and tokens?`
  })
  if (!isConfirmed) {
    print(options, null, ['Nothing was deleted.'])
    return
  }
  await askDeveloperApi(server, { method: 'DELETE', path })
  print(options, { client_id: clientId, deleted: true }, [`Deleted ${clientId}.`])
}

async function change(options: Options, call: Call): Promise<ChangedApp> {
  const { data, details } = await askDeveloperApi(await serverAddress(options), call)
  const { dropped_scopes: dropped } = details
  if (Array.isArray(dropped))
    process.stderr.write(
      `Without a redirect URI it can request no more: ${printable(dropped.join(' '))}\n`,
    )
  // as: §4.2
  return data as ChangedApp
}

const linesOf = (app: ChangedApp) => [
  `  client id      ${app.client_id}`,
  `  type           ${app.client_type}, ${app.application_type}, ${app.enabled ? 'enabled' : 'disabled'}`,
  `  scopes         ${app.scope ?? '-'}`,
  ...(app.required_scopes === undefined
    ? []
    : [`  needs          ${app.required_scopes.map(printable).join(' ')}`]),
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
        'The secret is shown only now.',
        ...(oldEnd === undefined ? [] : [`The old one is good until ${printable(oldEnd)}.`]),
      ]
