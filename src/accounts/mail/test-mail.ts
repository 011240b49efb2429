import { composeMail } from './compose-mail.ts'
import type { MailDefaults } from './prepare-mail.ts'
import { DEFAULT_BRAND } from './render-mail.ts'
import { smtpTransport } from './outbox/transport.ts'

/** Time, in milliseconds, after which a silent mail server counts as failed. */
const TIMEOUT_MS = 10_000

/**
 * Sends a test email at once, without the outbox.
 *
 * @returns the response from the mail server
 * @throws the error from nodemailer if the server does not accept the email
 */
export async function sendTestMail(
  email: string,
  {
    smtpUrl,
    mailFrom,
    brand = DEFAULT_BRAND,
    defaultLanguage = 'en',
  }: { smtpUrl: string; mailFrom: string } & MailDefaults,
): Promise<string> {
  const transport = smtpTransport(mailFrom, smtpUrl, TIMEOUT_MS)
  try {
    return await transport.send({
      id: 0,
      kind: 'test',
      email,
      ...composeMail('test', defaultLanguage, {}, brand),
    })
  } finally {
    transport.close()
  }
}
