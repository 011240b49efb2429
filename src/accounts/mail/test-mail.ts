import { composeMail } from './compose-mail.ts'
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
  { smtpUrl, mailFrom }: { smtpUrl: string; mailFrom: string },
): Promise<string> {
  const transport = smtpTransport(mailFrom, smtpUrl, TIMEOUT_MS)
  try {
    return await transport.send({ id: 0, kind: 'test', email, ...composeMail('test', 'en', {}) })
  } finally {
    transport.close()
  }
}
