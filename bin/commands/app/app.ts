import { Command } from 'commander'
import { isBuiltIn } from '../../../src/apps/operator/first-party.ts'
import { isEnabled, listApps } from '../../../src/apps/queries.ts'
import { JSON_OPTION, print, table, type PrintOptions } from '../../print.ts'
import { withDatabase } from '../../with-database.ts'
import { createCommand, serializeApp } from './app-create.ts'
import { deleteCommand, rotateSecretCommand, showCommand } from './app-rescue.ts'
import { disableCommand, enableCommand, limitCommand } from './app-status.ts'

export const appCommand = () =>
  new Command('app')
    .helpCommand(false)
    .addCommand(createCommand())
    .addCommand(
      new Command('list')
        .description('list all apps, oldest first')
        .option(...JSON_OPTION)
        .action(list),
    )
    .addCommand(disableCommand())
    .addCommand(enableCommand())
    .addCommand(limitCommand())
    .addCommand(showCommand())
    .addCommand(rotateSecretCommand())
    .addCommand(deleteCommand())

async function list(options: PrintOptions) {
  const apps = await withDatabase((db) => listApps(db))
  const rows = apps.map((app) => [
    app.client_id,
    app.client_name,
    app.scopes.join(' '),
    `${isEnabled(app) ? 'enabled' : 'disabled'}${isBuiltIn(app.client_id) ? ' (built in)' : ''}`,
  ])
  print(
    options,
    apps.map(serializeApp),
    apps.length > 0
      ? table([['client ID', 'name', 'scopes', 'state'], ...rows])
      : ['There are no apps yet.'],
  )
}
