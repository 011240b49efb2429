import { randomBytes } from 'node:crypto'
import { text } from 'node:stream/consumers'
import { Command } from 'commander'
import { createAccount } from '../../src/accounts/queries.ts'
import { JSON_OPTION, print, type PrintOptions } from '../print.ts'
import { UsageError } from '../usage-error.ts'
import { withDatabase } from '../with-database.ts'

type Options = PrintOptions & { name?: string; passwordStdin?: boolean }

export const accountCommand = () =>
  new Command('account')
    .description('manage accounts')
    .helpCommand(false)
    .addCommand(
      new Command('create')
        .description('create an account')
        .argument('<email>', 'its e-mail address')
        .option('--name <name>', 'what it is called; by default the part before the @')
        .option(
          '--password-stdin',
          'read the password from standard input;\nwithout it one is made and printed',
        )
        .option(...JSON_OPTION)
        .action(create),
    )

async function create(email: string, options: Options) {
  if (!/^[^\s@]+@[^\s@]+$/.test(email) || email.length > 254)
    throw new UsageError(`${email} is not an e-mail address.`)
  const name = options.name ?? email.slice(0, email.indexOf('@')).slice(0, 64)
  if (name.trim() !== name || name === '' || [...name].length > 64 || /\p{Cc}/u.test(name))
    throw new UsageError('A name has 1 to 64 characters, no space at its ends and no control character.')
  const password = options.passwordStdin
    ? (await text(process.stdin)).replace(/\r?\n$/, '')
    : randomBytes(12).toString('base64url')
  if (password.length < 8 || password.length > 1_000)
    throw new UsageError('A password has at least 8 characters, and at most 1000.')

  const id = await withDatabase((db) => createAccount(db, { email, name, password }))
  if (id === undefined) throw new Error(`There is an account with the address ${email} already.`)
  const made = options.passwordStdin ? {} : { password }
  print(options, { id, email, name, ...made }, [
    `Created account ${id} for ${email}.`,
    ...(options.passwordStdin ? [] : [`Its password is ${password}; it is shown only now.`]),
  ])
}
