import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

/** Returns the emails written by a service without SMTP, oldest first, with soft line breaks removed. */
function readMails(dataDir: string): string[] {
  const outbox = join(dataDir, 'outbox')
  if (!existsSync(outbox)) return []
  return readdirSync(outbox)
    .filter((name) => name.endsWith('.eml'))
    .toSorted()
    .map((name) =>
      readFileSync(join(outbox, name), 'utf8')
        .replaceAll('=\r\n', '')
        .replaceAll('=\n', '')
        .replaceAll('=3D', '='),
    )
}

/** Waits for an email to the address with a link to the path, and returns the link of the newest one. */
export async function waitForLink(dataDir: string, email: string, path: string): Promise<string> {
  for (const deadline = Date.now() + 120_000; Date.now() < deadline; await sleep(50)) {
    const mail = readMails(dataDir).findLast(
      (text) => text.includes(email) && text.includes(`${path}?token=`),
    )
    const [link] = mail?.match(new RegExp(`https?://[^\\s"]+${path}\\?token=[\\w-]+`)) ?? []
    if (link !== undefined) return link
  }
  throw new Error(`No mail to ${email} with a link to ${path}`)
}
