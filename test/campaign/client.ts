import { setTimeout as sleep } from 'node:timers/promises'
import { PlainBrowser, type Visit } from '#test/browser.ts'
import type { AnyJson } from '#test/user-api.ts'
import type { Ledger, Outcome, SentWrite } from './ledger.ts'

/** Time, in milliseconds, after which a request counts as hanging. Far above every deadline of the service. */
const HANGS_MS = 90_000
/** Time, in milliseconds, before the next write after one that failed. */
const PAUSE_MS = 40

export type Answer = { outcome: Outcome; status?: number; body?: AnyJson }

export type CampaignRequest = {
  method?: string
  token?: string
  body?: object
  form?: Record<string, string>
  headers?: Record<string, string>
}

/**
 * Sends a request to the service, which may be killed at any moment. A response other than success, or 503 with
 * Retry-After, is a violation; so is a request that hangs.
 */
export async function sendToVictim(
  ledger: Ledger,
  url: string,
  { method = 'GET', token, body, form, headers = {} }: CampaignRequest = {},
): Promise<Answer> {
  const answer = await fetch(url, {
    method,
    redirect: 'manual',
    headers: {
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...headers,
    },
    body: form ? new URLSearchParams(form) : body === undefined ? null : JSON.stringify(body),
    signal: AbortSignal.timeout(HANGS_MS),
  })
    .then(async (response) => ({ response, text: await response.text() }))
    .catch((error: unknown) => {
      if (error instanceof Error && error.name === 'TimeoutError')
        ledger.fail(`${method} ${pathOf(url)} hangs`)
      return undefined
    })
  if (!answer) return { outcome: 'unanswered' }
  const { response, text } = answer
  const { status } = response
  if (status === 503) {
    if (!(Number(response.headers.get('retry-after')) >= 1))
      ledger.fail(`${method} ${pathOf(url)}: 503 without Retry-After`)
    return { outcome: 'refused', status }
  }
  if (status >= 400) {
    ledger.fail(`${method} ${pathOf(url)}: ${status} ${text.slice(0, 300)}`)
    return { outcome: 'refused', status }
  }
  return {
    outcome: 'acknowledged',
    status,
    body: text.startsWith('{') || text.startsWith('[') ? JSON.parse(text) : undefined,
  }
}

const pathOf = (url: string) => new URL(url).pathname

/** Sends a recorded write and records its outcome. Pauses after a failure. */
export async function sendWrite(
  ledger: Ledger,
  write: SentWrite,
  send: () => Promise<Answer>,
  storedOf: (body: AnyJson) => string | null = () => write.value,
): Promise<Answer> {
  const answer = await send()
  ledger.record(
    write,
    answer.outcome,
    answer.outcome === 'acknowledged' ? storedOf(answer.body) : write.value,
  )
  if (answer.outcome !== 'acknowledged') await sleep(PAUSE_MS)
  return answer
}

/** The service returned 503. */
export class RefusedError extends Error {}

/** A browser that throws `RefusedError` for 503. Any other failure is a violation. */
export class CampaignBrowser extends PlainBrowser {
  readonly #ledger: Ledger

  constructor(ledger: Ledger, site: string) {
    super(site)
    this.#ledger = ledger
  }

  override get(url: string) {
    return super.get(url).then((visit) => this.#check(visit))
  }

  override post(url: string, fields: URLSearchParams | Record<string, string>) {
    return super.post(url, fields).then((visit) => this.#check(visit))
  }

  #check(visit: Visit): Visit {
    if (visit.status === 503) throw new RefusedError(visit.url)
    if (visit.status >= 400)
      this.#ledger.fail(`${visit.url}: ${visit.status} ${visit.text.slice(0, 300)}`)
    return visit
  }
}
