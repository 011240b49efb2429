import { SMTPServer } from 'smtp-server'
import { listenLocally } from './free-port.ts'

/** An email as received over SMTP. */
type ReceivedMail = { to: string[]; headers: string; text: string; html: string }

export type MailServer = {
  url: string
  received: ReceivedMail[]
  /** Number of emails offered, whether accepted or not. */
  offers(): number
  /** Rejects this many of the next emails. */
  refuse(mails: number): void
  close(): Promise<void>
}

/** Starts a real SMTP server on its own port. */
export async function startMailServer(): Promise<MailServer> {
  const received: ReceivedMail[] = []
  let refusals = 0
  let offered = 0
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    logger: false,
    onData(stream, session, done) {
      const chunks: Buffer[] = []
      stream.on('data', (chunk: Buffer) => chunks.push(chunk))
      stream.on('end', () => {
        offered += 1
        if (refusals > 0) {
          refusals -= 1
          return done(new Error('Not now'))
        }
        received.push({
          to: session.envelope.rcptTo.map(({ address }) => address),
          ...readMail(Buffer.concat(chunks)),
        })
        done()
      })
    },
  })
  server.on('error', () => {})
  const port = await listenLocally(server.server)
  return {
    url: `smtp://127.0.0.1:${port}`,
    received,
    offers: () => offered,
    refuse: (mails) => void (refusals = mails),
    close: () => new Promise((resolve) => server.close(() => resolve())),
  }
}

/** Returns the raw headers of an email, and its decoded text and HTML. */
export function readMail(bytes: Buffer): { headers: string; text: string; html: string } {
  const { headers, text } = readPart(bytes.toString('utf8'))
  const boundary = /^Content-Type: multipart\/alternative;.*boundary="([^"]+)"/im.exec(headers)?.[1]
  if (boundary === undefined) return { headers, text, html: '' }
  const [plain = '', html = ''] = text.split(`--${boundary}`).slice(1)
  return { headers, text: readPart(plain).text, html: readPart(html).text }
}

function readPart(part: string): { headers: string; text: string } {
  const whole = part.replace(/^\r?\n/, '')
  const end = whole.search(/\r?\n\r?\n/)
  const headers = whole.slice(0, end).replaceAll(/\r?\n[ \t]+/g, ' ')
  const body = whole.slice(end).replace(/^\r?\n\r?\n/, '')
  const encoding = /^Content-Transfer-Encoding: (\S+)/im.exec(headers)?.[1]?.toLowerCase()
  if (encoding === 'base64') return { headers, text: Buffer.from(body, 'base64').toString('utf8') }
  if (encoding !== 'quoted-printable') return { headers, text: body }
  const octets = body
    .replaceAll(/=\r?\n/g, '')
    .replaceAll(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(parseInt(hex, 16)))
  return { headers, text: Buffer.from(octets, 'latin1').toString('utf8') }
}

/** Returns the token in the link of an email. */
export const tokenIn = (mail: { text: string } | undefined) =>
  /\?token=([A-Za-z0-9_-]{43})\s/.exec(mail?.text ?? '')?.[1] ?? ''
