import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { hashToken } from '../../src/kernel/opaque-tokens.ts'
import { submitSignIn, type TestUser } from './authorization.ts'
import { eventually, PlainBrowser, type Visit } from './browser.ts'
import { readMail } from './mail-server.ts'
import type { TestService } from './service.ts'

type Mail = { to: string; subject: string; text: string; link: string | undefined }

const FAR_PAST = new Date(0)

/**
 * Returns helpers for tests of emails, forms and their effects.
 *
 * @param service returns the service, which need not be started yet
 */
export function accountFlows(service: () => TestService) {
  const newBrowser = () => new PlainBrowser(service().url)

  /** Returns the written emails, oldest first. */
  function mailsTo(email: string): Mail[] {
    const folder = join(service().config.dataDir, 'outbox')
    const files = (() => {
      try {
        return readdirSync(folder).toSorted()
      } catch {
        return []
      }
    })()
    return files.map((file) => mailIn(join(folder, file))).filter(({ to }) => to === email)
  }

  /**
   * Parsed emails, keyed by file name. Avoids parsing again: the folder of a shared service holds hundreds of files
   * and is polled.
   */
  const mails = new Map<string, Mail>()
  function mailIn(file: string): Mail {
    const mail = mails.get(file) ?? parseMail(readFileSync(file))
    // Do not cache a file that is still being written.
    if (mail.to !== '') mails.set(file, mail)
    return mail
  }

  /** Waits for `count` emails with links, and returns the link of the last one. */
  async function nextLink(email: string, count = 1): Promise<string> {
    const links = () => mailsTo(email).flatMap(({ link }) => link ?? [])
    await eventually(async () => links().length >= count, `link ${count} to ${email}`)
    return links()[count - 1] ?? ''
  }

  /** Waits until every queued email has been sent or dropped. */
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
      headers: { cookie: browser.cookieHeader() },
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

  async function requestReset(browser: PlainBrowser, email: string, path = '/forgotten-password') {
    const form = await browser.get(path)
    return browser.submit(form, { email })
  }

  const signIn = async (user: Pick<TestUser, 'email' | 'password'>, browser = newBrowser()) => ({
    browser,
    visit: await submitSignIn(browser, user),
  })

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
    askReset: requestReset,
    signIn,
  }
}

/**
 * Parses an email.
 *
 * @returns `link`: the main link, not the one for recipients who did not request the email
 */
function parseMail(bytes: Buffer): Mail {
  const { headers, text } = readMail(bytes)
  const header = (name: string) =>
    new RegExp(`^${name}: (.*)$`, 'mi').exec(headers)?.[1]?.trim() ?? ''
  const link = text.match(/http\S+/g)?.find((url) => !url.includes('/not-me?'))
  return { to: header('to').replaceAll(/[<>]/g, ''), subject: header('subject'), text, link }
}

/** Returns the token in a link. */
export const linkToken = (link: string) =>
  new URL(link, 'http://localhost').searchParams.get('token') ?? ''

/** Returns the parts of a response that must not depend on the email address. */
export const comparableResponse = ({ status, text, headers }: Visit) => ({
  status,
  text: text
    .replaceAll(/name="_csrf" value="[^"]*"/g, '')
    .replaceAll(/[\w-]+@example\.org/g, 'ADDRESS'),
  headers: [...headers.keys()].filter((name) => name !== 'date' && name !== 'content-length'),
  cookies: headers.getSetCookie().map((line) => line.replace(/=[^;]*/, '')),
})
