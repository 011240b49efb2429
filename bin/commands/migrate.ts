import { Command } from 'commander'
import { distribute, previewDistribution } from '../../src/db/sharding/distribute.ts'
import { UNSUPPORTED_FEATURES } from '../../src/db/sharding/unsupported.ts'
import type { Database } from '../../src/db/database.ts'
import { confirm, YES_OPTION, type ConfirmOptions } from '../confirm.ts'
import { Failure } from '../failure.ts'
import { JSON_OPTION, print, type PrintOptions } from '../print.ts'
import { withDatabase } from '../with-database.ts'

const FEATURES = UNSUPPORTED_FEATURES.map(({ name }) => name)
  .map((feature) => `- ${feature}`)
  .join('\n')

async function distributeIfConfirmed(db: Database, options: ConfirmOptions) {
  const preview = await previewDistribution(db)
  if (!preview.isAvailable || preview.statements.length === 0) return preview
  const question = () =>
    `These features do not work with distributed user data:\n${FEATURES}\nDistribute user data?`
  if (!(await confirm(options, question))) throw new Failure('Nothing was distributed.')
  return distribute(db)
}

export const migrateCommand = () =>
  new Command('migrate')
    .option('--distribute', 'also distribute user data over the machines of a Citus database')
    .option(...YES_OPTION)
    .option(...JSON_OPTION)
    .addHelpText(
      'after',
      `
With --distribute, user data is distributed by account if the database has the
extension citus, after a confirmation. These features will not work:
${FEATURES}
Stop the service first. An interrupted run can be repeated.
Without the extension, the command prints what it would run, changes nothing
and exits with status 1.`,
    )
    .action(
      async ({
        distribute: distributes,
        ...options
      }: PrintOptions & ConfirmOptions & { distribute?: true }) => {
        const { migrated, distribution } = await withDatabase(async (db, _config, facts) => ({
          ...facts,
          distribution: distributes && (await distributeIfConfirmed(db, options)),
        }))
        const lines =
          migrated.length > 0
            ? migrated.map((name) => `Applied ${name}.`)
            : ['The schema is up to date.']
        if (!distribution) return print(options, { ran: migrated }, lines)
        const { isAvailable, statements } = distribution
        const done =
          statements.length > 0
            ? statements.map((statement) => `${statement};`)
            : ['User data is already distributed.']
        print(options, { ran: migrated, is_available: isAvailable, statements }, [
          ...lines,
          ...done,
        ])
        if (!isAvailable)
          throw new Failure(
            'The database does not have the extension citus, so none of these statements ran. Run `create extension citus`, add the machines with `citus_add_node`, and repeat the command.',
          )
      },
    )
