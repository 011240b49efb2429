import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { hashToken } from '../../src/kernel/opaque-tokens.ts'
import type { TestReader } from './authorization.ts'
import { eventually, PlainBrowser, type Visit } from './browser.ts'
import { readMail } from './mail-server.ts'
import type { TestService } from './service.ts'

type Mail = { to: string; subject: string; text: string; link: string | undefined }

const FAR_PAST = new Date(0)

/** What people do with a service's mails and forms, and what comes of it. @param service that is there once it is called */
export function correspondence(service: () => TestService) {
  const newBrowser = () => new PlainBrowser(service().url)

  /** Mails that were written, oldest first. */
  function mailsTo(email: string): Mail[] {
    const folder = join(service().config.dataDir, 'outbox')
    const files = (() => {
      try {
        return readdirSync(folder).toSorted()
      } catch {
        return []
      }
    })()
    return files.map((file) => letterIn(join(folder, file))).filter(({ to }) => to === email)
  }

  /** The folder of a service that many tests share has hundreds, and is looked at until one more is there. */
  const letters = new Map<string, Mail>()
  function letterIn(file: string): Mail {
    const letter = letters.get(file) ?? readLetter(readFileSync(file))
    // One that is just being written has no lines yet.
    if (letter.to !== '') letters.set(file, letter)
    return letter
  }

  /** The link of the newest of so many mails that have one. */
  async function nextLink(email: string, count = 1): Promise<string> {
    const links = () => mailsTo(email).flatMap(({ link }) => link ?? [])
    await eventually(async () => links().length >= count, `link ${count} to ${email}`)
    return links()[count - 1] ?? ''
  }

  /** Every mail that was asked for is sent, or dropped. */
  const allSent = () =>
    eventually(
      async () => (await service().db.selectFrom('mails').select('id').execute()).length === 0,
      'an empty queue',
    )

  const accountOf = (email: string) =>
    service().db.selectFrom('accounts').selectAll().where('email', '=', email).executeTakeFirst()
  const sessionsOf = (id: number) =>
    service().db.selectFrom('sessions').select('uid').where('account_id', '=', id).execute()
  const eventsOf = async (id: number) =>
    (
      await service()
        .db.selectFrom('audit_events')
        .select('kind')
        .where('account_id', '=', id)
        .orderBy('id')
        .execute()
    ).map(({ kind }) => kind)
  const isSignedIn = async (browser: PlainBrowser) => {
    const response = await fetch(`${service().url}/sign-in`, {
      redirect: 'manual',
      headers: { cookie: cookiesOf(browser) },
    })
    return response.status === 303
  }

  async function expire(link: string) {
    await service()
      .db.updateTable('links')
      .set({ expires_at: FAR_PAST })
      .where('token_hash', '=', hashToken(linkToken(link)))
      .execute()
  }

  async function askReset(browser: PlainBrowser, email: string, path = '/forgotten-password') {
    const form = await browser.get(path)
    return browser.submit(form, { email })
  }

  async function signIn(reader: Pick<TestReader, 'email' | 'password'>, browser = newBrowser()) {
    const form = await browser.get('/sign-in')
    const visit = await browser.submit(form, { email: reader.email, password: reader.password })
    return { browser, visit }
  }

  return {
    newBrowser,
    mailsTo,
    nextLink,
    allSent,
    accountOf,
    sessionsOf,
    eventsOf,
    isSignedIn,
    expire,
    askReset,
    signIn,
  }
}

/** @returns `link`: what the mail asks to be followed, and not the one for whoever it is a surprise to */
function readLetter(bytes: Buffer): Mail {
  const { headers, text } = readMail(bytes)
  const header = (name: string) =>
    new RegExp(`^${name}: (.*)$`, 'mi').exec(headers)?.[1]?.trim() ?? ''
  const link = text.match(/http\S+/g)?.find((address) => !address.includes('/not-me?'))
  return { to: header('to').replaceAll(/[<>]/g, ''), subject: header('subject'), text, link }
}

/** The token of a link. */
export const linkToken = (link: string) =>
  new URL(link, 'http://localhost').searchParams.get('token') ?? ''

const cookiesOf = (browser: PlainBrowser) =>
  Object.entries(browser.cookies())
    .map(([name, value]) => `${name}=${value}`)
    .join('; ')

/** What two answers to different addresses must have in common. */
export const comparable = ({ status, text, headers }: Visit) => ({
  status,
  text: text
    .replaceAll(/name="_csrf" value="[^"]*"/g, '')
    .replaceAll(/[\w-]+@example\.org/g, 'ADDRESS'),
  headers: [...headers.keys()].filter((name) => name !== 'date' && name !== 'content-length'),
  cookies: headers.getSetCookie().map((line) => line.replace(/=[^;]*/, '')),
})
