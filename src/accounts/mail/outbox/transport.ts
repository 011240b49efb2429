import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Logger } from 'pino'
import { makeFolder } from '../../../kernel/make-folder.ts'
import type { MailContent } from '../render-mail.ts'

/** `link`: the link in the text, if any. */
export type OutgoingMail = MailContent & {
  id: number
  kind: string
  email: string
  link?: string | undefined
}

/** `Sent` is the result of a delivery. */
export type MailTransport<Sent = unknown> = {
  /**
   * @param stopping aborts an email that is being sent
   * @throws {Error} if no server accepts the email
   */
  send(mail: OutgoingMail, stopping?: AbortSignal): Promise<Sent>
  close(): void
}

export type TransportOptions = {
  smtpUrl: string | undefined
  mailFrom: string
  dataDir: string
  log: Logger
}

/** Default timeout for a silent server, in milliseconds. The lease is renewed in the meantime. */
const TIMEOUT_MS = 20_000

/**
 * Sends emails through the server of `SMTP_URL`. Without one, writes them to `DATA_DIR/outbox` and their links to the
 * log.
 */
export function openMailTransport({
  smtpUrl,
  mailFrom,
  dataDir,
  log,
}: TransportOptions): MailTransport {
  return smtpUrl === undefined
    ? folderTransport(mailFrom, join(dataDir, 'outbox'), log)
    : smtpTransport(mailFrom, smtpUrl)
}

/** Loaded when the first email is sent, which keeps startup fast. */
const loadLibrary = async () => (await import('nodemailer')).default

async function connectTo(url: string, timeoutMs: number) {
  const { createTransport } = await loadLibrary()
  return createTransport({
    url,
    connectionTimeout: timeoutMs,
    greetingTimeout: timeoutMs,
    socketTimeout: timeoutMs,
  })
}

/**
 * Connects to a mail server and signs in, without sending an email.
 *
 * @throws {Error} if the server does not accept the connection or the credentials
 */
export async function verifyMailServer(url: string, timeoutMs: number): Promise<void> {
  const transport = await connectTo(url, timeoutMs)
  try {
    await transport.verify()
  } finally {
    transport.close()
  }
}

/** Sends emails through a mail server. `send` returns the response from the server. */
export function smtpTransport(
  mailFrom: string,
  url: string,
  timeoutMs = TIMEOUT_MS,
): MailTransport<string> {
  const connect = () => connectTo(url, timeoutMs)
  let connected: ReturnType<typeof connect> | undefined
  return {
    async send(mail, signal) {
      const transport = await (connected ??= connect())
      const message = { ...toMessage(mailFrom, mail), signal }
      return (await transport.sendMail(message)).response
    },
    close: () => void connected?.then((transport) => transport.close()),
  }
}

function folderTransport(mailFrom: string, folder: string, log: Logger): MailTransport {
  return {
    async send(mail) {
      const { createTransport } = await loadLibrary()
      const transport = createTransport({ streamTransport: true, buffer: true })
      const { message: bytes } = await transport.sendMail(toMessage(mailFrom, mail))
      if (!Buffer.isBuffer(bytes)) throw new Error('nodemailer did not return a buffer.')
      await makeFolder(folder, 0o700)
      const file = join(folder, `${new Date().toISOString().replaceAll(':', '-')}-${mail.id}.eml`)
      await writeFile(file, bytes, { mode: 0o600 })
      log.info({ mail: mail.kind, file, link: mail.link }, 'An email was written to the outbox')
    },
    close: () => {},
  }
}

/** Builds the message for exactly one recipient. Rejects addresses that could inject headers. */
function toMessage(from: string, { email, subject, text, html }: OutgoingMail) {
  if (/[\s\p{Cc}<>]/u.test(email))
    throw new Error('The email address contains characters that are not allowed.')
  return {
    from,
    to: { name: '', address: email },
    subject,
    // The plain text comes first, because clients show the last part that they support.
    text,
    html,
    headers: { 'Auto-Submitted': 'auto-generated' },
    disableFileAccess: true,
    disableUrlAccess: true,
  }
}
