import { Command } from 'commander'
import { deleteApp, replaceSecret } from '../../../src/apps/operator/operator-queries.ts'
import { findApps, isEnabled, type App } from '../../../src/apps/queries.ts'
import type { Database } from '../../../src/db/database.ts'
import { confirmed, YES_OPTION, type ConfirmOptions } from '../../confirm.ts'
import { JSON_OPTION, print, type PrintOptions } from '../../print.ts'
import { withDatabase } from '../../with-database.ts'
import { serializeApp } from './app-create.ts'
import { hoursAsSeconds, noAppCalled, WHICH_APP } from './app-status.ts'

type Options = PrintOptions & ConfirmOptions

const DELETE_HELP = `
With it go its grants, consents and statistics of use, and its tokens are refused
within a second. It cannot be undone; mokuroku app disable can.

Example: mokuroku app delete mk_0pF0pzMNHVcOXizc`

const ROTATE_HELP = `
The old secret is worth nothing at once, unless --keep-old says otherwise; tokens it was exchanged for live on.

Example: mokuroku app rotate-secret mk_0pF0pzMNHVcOXizc --yes`

export const showCommand = () =>
  new Command('show')
    .description('show one app')
    .argument(...WHICH_APP)
    .option(...JSON_OPTION)
    .addHelpText('after', '\nExample: mokuroku app show mk_0pF0pzMNHVcOXizc')
    .action(show)

export const deleteCommand = () =>
  new Command('delete')
    .description('delete an app with its grants and tokens')
    .argument(...WHICH_APP)
    .option(...YES_OPTION)
    .option(...JSON_OPTION)
    .addHelpText('after', DELETE_HELP)
    .action(remove)

export const rotateSecretCommand = () =>
  new Command('rotate-secret')
    .description('give an app another secret and print it')
    .argument(...WHICH_APP)
    .option(
      '--keep-old <hours>',
      'the old secret stays good beside the new one; up to 720',
      hoursAsSeconds,
    )
    .option(...YES_OPTION)
    .option(...JSON_OPTION)
    .addHelpText('after', ROTATE_HELP)
    .action(rotateSecret)

async function show(clientId: string, options: PrintOptions) {
  const app = await withDatabase((db) => requireApp(db, clientId))
  print(options, { ...serializeApp(app), account_id: app.account_id }, [
    app.client_name,
    `  client id      ${app.client_id}`,
    `  owner          ${app.account_id === null ? 'the operator' : `account ${app.account_id}`}`,
    `  type           ${app.client_type}, ${app.application_type}, ${isEnabled(app) ? 'enabled' : 'disabled'}`,
    `  scopes         ${app.scopes.join(' ') || '-'}`,
    ...app.redirect_uris.map((uri) => `  redirect uri   ${uri}`),
    ...(app.client_uri === null ? [] : [`  home page      ${app.client_uri}`]),
    ...(app.requests_per_minute === null
      ? []
      : [`  a minute       ${app.requests_per_minute} requests`]),
    `  created        ${app.created_at.toISOString().slice(0, 10)}`,
  ])
}

async function remove(clientId: string, options: Options) {
  await withDatabase(async (db) => {
    const app = await requireApp(db, clientId)
    if (
      !(await confirmed(
        options,
        () => `Delete ${app.client_name}, with everybody's grants and tokens?`,
      ))
    )
      return print(options, null, ['Nothing was deleted.'])
    await deleteApp(db, clientId)
    print(options, { client_id: clientId, deleted: true }, [`Deleted ${clientId}.`])
  })
}

async function rotateSecret(clientId: string, options: Options & { keepOld?: number }) {
  await withDatabase(async (db) => {
    const app = await requireApp(db, clientId)
    if (app.client_type === 'public') throw new Error(`${clientId} is public and has no secret.`)
    const end = options.keepOld === undefined ? 'at once' : `in ${options.keepOld / 3_600} hours`
    if (
      !(await confirmed(
        options,
        () => `Give ${app.client_name} another secret? The old one ends ${end}.`,
      ))
    )
      return print(options, null, ['Nothing was changed.'])
    const secret = await replaceSecret(db, clientId, options.keepOld)
    if (secret === undefined) throw noAppCalled(clientId)
    print(options, { client_id: clientId, client_secret: secret }, [
      `${app.client_name} has a new secret.`,
      `  client secret  ${secret}`,
      'The secret is shown only now.',
    ])
  })
}

async function requireApp(db: Database, clientId: string): Promise<App> {
  const [app] = await findApps(db, [clientId])
  if (!app) throw noAppCalled(clientId)
  return app
}
