import { Command } from 'commander'
import { deleteApp, replaceSecret } from '../../../src/apps/operator/operator-queries.ts'
import { findApps, isEnabled, type App } from '../../../src/apps/queries.ts'
import type { Database } from '../../../src/db/database.ts'
import { confirm, YES_OPTION, type ConfirmOptions } from '../../confirm.ts'
import { JSON_OPTION, print, type PrintOptions } from '../../print.ts'
import { withDatabase } from '../../with-database.ts'
import { serializeApp } from './app-create.ts'
import { hoursAsSeconds, appNotFound, APP_ARGUMENT } from './app-status.ts'

type Options = PrintOptions & ConfirmOptions

const DELETE_HELP = `
Also deletes its grants, consents and usage statistics. Its tokens are rejected
within a second. This cannot be undone; to block an app temporarily, use
mokuroku app disable.

Example: mokuroku app delete mk_0pF0pzMNHVcOXizc`

const ROTATE_HELP = `
The old secret stops working immediately, unless --keep-old is given. Tokens
obtained with it remain valid.

Example: mokuroku app rotate-secret mk_0pF0pzMNHVcOXizc --yes`

export const showCommand = () =>
  new Command('show')
    .description('show an app')
    .argument(...APP_ARGUMENT)
    .option(...JSON_OPTION)
    .addHelpText('after', '\nExample: mokuroku app show mk_0pF0pzMNHVcOXizc')
    .action(show)

export const deleteCommand = () =>
  new Command('delete')
    .description('delete an app, its grants and its tokens')
    .argument(...APP_ARGUMENT)
    .option(...YES_OPTION)
    .option(...JSON_OPTION)
    .addHelpText('after', DELETE_HELP)
    .action(remove)

export const rotateSecretCommand = () =>
  new Command('rotate-secret')
    .description('replace the secret of an app and print the new one')
    .argument(...APP_ARGUMENT)
    .option(
      '--keep-old <hours>',
      'keep the old secret valid for this long, up to 720',
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
    `  client ID      ${app.client_id}`,
    `  owner          ${app.account_id === null ? 'operator' : `account ${app.account_id}`}`,
    `  type           ${app.client_type}, ${app.application_type}, ${isEnabled(app) ? 'enabled' : 'disabled'}`,
    `  scopes         ${app.scopes.join(' ') || '-'}`,
    ...app.redirect_uris.map((uri) => `  redirect uri   ${uri}`),
    ...(app.client_uri === null ? [] : [`  home page      ${app.client_uri}`]),
    ...(app.requests_per_minute === null
      ? []
      : [`  rate limit     ${app.requests_per_minute} requests per minute`]),
    `  created        ${app.created_at.toISOString().slice(0, 10)}`,
  ])
}

async function remove(clientId: string, options: Options) {
  await withDatabase(async (db) => {
    const app = await requireApp(db, clientId)
    if (
      !(await confirm(options, () => `Delete ${app.client_name} with all its grants and tokens?`))
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
    const end =
      options.keepOld === undefined ? 'immediately' : `in ${options.keepOld / 3_600} hours`
    if (
      !(await confirm(
        options,
        () => `Replace the secret of ${app.client_name}? The old one stops working ${end}.`,
      ))
    )
      return print(options, null, ['Nothing was changed.'])
    const secret = await replaceSecret(db, clientId, options.keepOld)
    if (secret === undefined) throw appNotFound(clientId)
    print(options, { client_id: clientId, client_secret: secret }, [
      `${app.client_name} has a new secret.`,
      `  client secret  ${secret}`,
      'The secret will not be shown again.',
    ])
  })
}

async function requireApp(db: Database, clientId: string): Promise<App> {
  const [app] = await findApps(db, [clientId])
  if (!app) throw appNotFound(clientId)
  return app
}
