import { Command } from 'commander'
import { openInstance } from '../../src/instance/instance.ts'
import { sendTestMail } from '../../src/accounts/mail/test-mail.ts'
import { checkEmail } from '../../src/accounts/profile/profile-rules.ts'
import { readConfig } from '../../src/config/config.ts'
import { textOfFinding } from '../../src/doctor/finding-text.ts'
import { explainMailFailure } from '../../src/doctor/services/mail-failure.ts'
import { printable } from '../../src/kernel/printable.ts'
import { Failure } from '../failure.ts'
import { JSON_OPTION, print, type PrintOptions } from '../print.ts'
import { UsageError } from '../usage-error.ts'

const HELP = `
Sends one mail through SMTP_URL and prints the response of the server. Does not
need the database.

Example:
  mokuroku mail test me@example.org`

export const mailCommand = () =>
  new Command('mail').helpCommand(false).addCommand(
    new Command('test')
      .description('send a test mail to an address')
      .argument('<address>', 'email address')
      .option(...JSON_OPTION)
      .addHelpText('after', HELP)
      .action(test),
  )

async function test(typed: string, options: PrintOptions) {
  const { value: email } = { value: undefined, ...checkEmail(typed) }
  if (email === undefined) throw new UsageError(`${typed} is not an email address.`)
  const config = readConfig()
  if (config.smtpUrl === undefined)
    throw new Failure(
      'SMTP_URL is not set, so no mail is sent. Set it to the URL of your mail server: smtp://user:password@host:587.',
    )
  const { smtpUrl, mailFrom } = config
  const { mail } = await openInstance(config)
  try {
    const response = printable(await sendTestMail(email, { smtpUrl, mailFrom, ...mail }))
    print(options, { email, response }, [
      `The mail server accepted the email for ${email}: ${response}`,
    ])
  } catch (error) {
    const finding = explainMailFailure(error)
    const { problem, advice } = textOfFinding('en', finding)
    throw new Failure(printable(`${problem} ${advice} (${finding.detail ?? ''})`), { cause: error })
  }
}
