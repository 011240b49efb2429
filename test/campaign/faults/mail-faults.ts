import { createServer, connect, type Socket } from 'node:net'
import { sql } from 'kysely'
import { listenLocally } from '#test/free-port.ts'
import { startMailServer } from '#test/mail-server.ts'
import { PlainBrowser } from '#test/browser.ts'
import { withTestDatabase } from '#test/open-database.ts'
import { signUp } from '#test/sign-ups.ts'
import type { CampaignStage } from '../stage.ts'
import { repeatEvery, type CampaignFault, type OpenFaultGroup } from './fault.ts'

const SIGN_UPS = 3

/** Responses of a mail server that is out of order, by the name of the fault. */
const RESPONSES: Record<string, (socket: Socket) => void> = {
  'mail server silent': () => {},
  'mail server silent after its greeting': (socket) => void socket.write('220 ready\r\n'),
  'mail server refusing everything': (socket) => {
    socket.write('220 ready\r\n')
    socket.on('data', () => socket.write('451 Not now\r\n'))
  },
  'mail server greeting without end': (socket) => {
    const stop = repeatEvery(50, () => socket.write('220-please wait\r\n'))
    socket.on('close', () => void stop())
  },
}

/** Opens the faults of the mail server. Users can sign up, and their emails are kept or delivered. */
export const openMailFaults: OpenFaultGroup = async () => {
  const working = await startMailServer()
  let respond: ((socket: Socket) => void) | undefined
  const open = new Set<Socket>()
  const server = createServer((socket) => {
    open.add(socket)
    socket.on('error', () => socket.destroy()).on('close', () => open.delete(socket))
    if (respond) return respond(socket)
    const upstream = connect(Number(new URL(working.url).port), '127.0.0.1')
    upstream.on('error', () => socket.destroy())
    socket.pipe(upstream).pipe(socket)
  })
  const port = await listenLocally(server)

  async function signUpUsers({ url }: CampaignStage, prefix: string) {
    const emails = Array.from({ length: SIGN_UPS }, (_, index) => `${prefix}-${index}@example.org`)
    for (const email of emails) {
      const { status } = await signUp(new PlainBrowser(url), email)
      if (status >= 400) throw new Error(`sign-up of ${email}: ${status}`)
    }
    return emails
  }

  /** Every email is in the queue or delivered. */
  async function assertKept(stage: CampaignStage, emails: string[]) {
    const queued = await withTestDatabase(stage.database, async (db) => {
      const { rows } = await sql<{ email: string }>`
        select email from mails where failed_at is null`.execute(db)
      return rows.map(({ email }) => email)
    })
    const kept = new Set([...queued, ...working.received.flatMap(({ to }) => to)])
    const lost = emails.filter((email) => !kept.has(email))
    if (lost.length > 0) throw new Error(`no email to ${lost.join(', ')}`)
  }

  const faults = Object.entries(RESPONSES).map(([name, response]): CampaignFault => ({
    name,
    expects: 'refused',
    lastsMs: 1_000,
    async begin(stage) {
      respond = response
      const emails = await signUpUsers(stage, name.replaceAll(' ', '-'))
      return async () => {
        // It stops although the mail server does not respond.
        const status = await stage.stopService()
        await stage.startService()
        await assertKept(stage, emails)
        respond = undefined
        for (const socket of open) socket.destroy()
        if (status !== 0) throw new Error(`the service stopped with ${status}`)
      }
    },
  }))
  return {
    faults,
    mode: { environment: { SMTP_URL: `smtp://127.0.0.1:${port}` } },
    async close() {
      for (const socket of open) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
      await working.close()
    },
  }
}
