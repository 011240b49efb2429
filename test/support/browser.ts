import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'

/** A form of a page, as a browser would submit it. */
export type Form = {
  action: string
  method: string
  fields: Record<string, string>
  /** Its submit buttons, with the fields they add. */
  buttons: { name: string; value: string }[]
}

export type Visit = {
  url: string
  status: number
  headers: Headers
  text: string
  forms: Form[]
  location: string | undefined
}

/**
 * A browser without scripts: stores cookies, follows redirects on its own site and submits forms. It stops at an app's
 * redirect URI without requesting it.
 */
export class PlainBrowser {
  readonly site: string
  readonly #jar = new Map<string, { value: string; path: string }>()
  headers: Record<string, string> = { accept: 'text/html,application/xhtml+xml' }

  constructor(site: string) {
    this.site = site
  }

  /** Returns the cookies sent to a path. */
  cookies(path = '/'): Record<string, string> {
    return Object.fromEntries(
      [...this.#jar]
        .filter(([, { path: under }]) => isUnder(path, under))
        .map(([key, { value }]) => [key.split('@')[0] ?? '', value]),
    )
  }

  /** Returns the `Cookie` header for a path, for use by other clients. */
  cookieHeader(path = '/'): string {
    return Object.entries(this.cookies(path))
      .map(([name, value]) => `${name}=${value}`)
      .join('; ')
  }

  setCookie(name: string, value: string, path = '/') {
    this.#jar.set(`${name}@${path}`, { value, path })
  }

  forgetCookies() {
    this.#jar.clear()
  }

  get(url: string): Promise<Visit> {
    return this.#follow(new URL(url, this.site), { method: 'GET' })
  }

  /** Submits a form with the user's input and the pressed button. */
  submit(
    visit: Visit,
    filled: Record<string, string> = {},
    form = formWith(visit, Object.keys(filled)),
  ): Promise<Visit> {
    const fields = new URLSearchParams({ ...form.fields, ...filled })
    const url = new URL(form.action, visit.url)
    if (form.method === 'get') {
      url.search = fields.toString()
      return this.#follow(url, { method: 'GET' })
    }
    return this.post(url.href, fields)
  }

  post(url: string, fields: URLSearchParams | Record<string, string>): Promise<Visit> {
    return this.#follow(new URL(url, this.site), {
      method: 'POST',
      body: new URLSearchParams(fields).toString(),
      headers: { 'content-type': 'application/x-www-form-urlencoded', origin: this.site },
    })
  }

  /** Submits the first form whose action ends with the given text. */
  press(visit: Visit, end: string, filled: Record<string, string> = {}): Promise<Visit> {
    return this.submit(visit, filled, formTo(visit, end))
  }

  /** Submits a form that may contain files. */
  postForm(url: string, form: FormData): Promise<Visit> {
    return this.#follow(new URL(url, this.site), {
      method: 'POST',
      body: form,
      headers: { origin: this.site },
    })
  }

  async #follow(start: URL, init: RequestInit): Promise<Visit> {
    let url = start
    let request = init
    for (let hops = 0; hops < 12; hops += 1) {
      const response = await this.#ask(url, request)
      const location = response.headers.get('location')
      if (location === null || response.status < 300 || response.status > 399) {
        const text = await response.text()
        return {
          url: url.href,
          status: response.status,
          headers: response.headers,
          text,
          forms: formsOf(text),
          location: undefined,
        }
      }
      const next = new URL(location, url)
      if (next.origin !== new URL(this.site).origin || next.protocol !== url.protocol) {
        await response.arrayBuffer()
        return {
          url: url.href,
          status: response.status,
          headers: response.headers,
          text: '',
          forms: [],
          location,
        }
      }
      await response.arrayBuffer()
      url = next
      request = { method: 'GET' }
    }
    throw new Error(`${start.href} redirects without end`)
  }

  async #ask(url: URL, init: RequestInit): Promise<Response> {
    const cookie = this.cookieHeader(url.pathname)
    const response = await fetch(url, {
      ...init,
      redirect: 'manual',
      headers: {
        ...this.headers,
        ...(cookie !== '' && { cookie }),
        ...(init.headers as Record<string, string>),
      },
    })
    for (const line of response.headers.getSetCookie()) this.#keep(line)
    return response
  }

  #keep(line: string) {
    const [pair = '', ...attributes] = line.split(/; */)
    const [, name = '', value = ''] = /^([^=]*)=(.*)$/s.exec(pair) ?? []
    const attribute = (expected: string) =>
      attributes.find((text) => text.toLowerCase().startsWith(`${expected}=`))?.split('=')[1]
    const path = attribute('path') ?? '/'
    const expires = attribute('expires')
    // The age takes precedence, because the clocks of browser and service may differ (RFC 6265 §5.3).
    const age = attribute('max-age')
    const isAborted =
      age === undefined
        ? expires !== undefined && Date.parse(expires) <= Date.now()
        : Number(age) <= 0
    if (isAborted || value === '') this.#jar.delete(`${name}@${path}`)
    else this.#jar.set(`${name}@${path}`, { value, path })
  }
}

const isUnder = (path: string, prefix: string) =>
  path === prefix || path.startsWith(prefix.endsWith('/') ? prefix : `${prefix}/`)

/** Returns the CSRF token of a page's forms, or an empty string. */
export const csrfTokenOf = ({ forms }: Visit): string =>
  forms.find(({ fields }) => '_csrf' in fields)?.fields['_csrf'] ?? ''

/** Returns the first form whose action ends with the given text. */
export function formTo({ forms, url, text }: Visit, end: string): Form {
  const found = forms.find(({ action }) => action.endsWith(end))
  if (!found) throw new Error(`No form to ${end} at ${url}:\n${text.slice(0, 2_000)}`)
  return found
}

/** Returns the form that has all of the named fields or buttons. */
export function formWith({ forms, text }: Visit, names: string[]): Form {
  const found = forms.find(({ fields, buttons }) =>
    names.every((name) => name in fields || buttons.some((button) => button.name === name)),
  )
  if (!found) throw new Error(`No form with ${names.join(', ')} in:\n${text.slice(0, 2_000)}`)
  return found
}

/** Excludes the search boxes, which are on every page. */
function formsOf(html: string): Form[] {
  const forms = [...html.matchAll(/<form([^>]*)>(.*?)<\/form>/gs)].filter(
    ([, start = '']) => attributeOf(start, 'role') !== 'search',
  )
  return forms.map(([, start = '', inside = '']) => {
    const inputs = [
      ...inside.matchAll(/<(?:input|textarea|select)\b([^>]*)>(?:([^<]*)<\/textarea>)?/gs),
    ]
    const fields = inputs.flatMap(([, tag = '', text]) => {
      const name = attributeOf(tag, 'name')
      if (
        name === undefined ||
        ((attributeOf(tag, 'type') === 'checkbox' || attributeOf(tag, 'type') === 'radio') &&
          !/\bchecked\b/.test(tag))
      )
        return []
      return [[name, text === undefined ? (attributeOf(tag, 'value') ?? '') : decode(text)]]
    })
    const buttons = [...inside.matchAll(/<button\b([^>]*)>/gs)].flatMap(([, tag = '']) => {
      const name = attributeOf(tag, 'name')
      return name === undefined ? [] : [{ name, value: attributeOf(tag, 'value') ?? '' }]
    })
    return {
      action: attributeOf(start, 'action') ?? '',
      method: (attributeOf(start, 'method') ?? 'get').toLowerCase(),
      fields: Object.fromEntries(fields) as Record<string, string>,
      buttons,
    }
  })
}

function attributeOf(tag: string, name: string) {
  const [, value] = new RegExp(`\\s${name}="([^"]*)"`, 's').exec(tag) ?? []
  return value === undefined ? undefined : decode(value)
}

const ENTITIES: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" }
const decode = (text: string) =>
  text.replace(/&(amp|lt|gt|quot|#39);/g, (_all, name: string) => ENTITIES[name] ?? '')

/** Waits until a condition holds. The service guarantees one second, but a busy machine is given more time. */
export async function eventually(
  condition: () => boolean | Promise<boolean>,
  name = 'it',
  limitMs = 120_000,
): Promise<void> {
  for (const deadline = Date.now() + limitMs; !(await condition()); await sleep(20))
    if (Date.now() > deadline) throw new Error(`${name} did not come about`)
}

/**
 * Asserts that a change takes effect within a second, as the service guarantees. The best of three attempts counts,
 * because a busy machine may delay any of them.
 *
 * @param attempt makes the change, and returns the condition that holds once it has taken effect
 */
export async function assertWithinASecond(
  attempt: () => Promise<() => Promise<boolean>>,
): Promise<void> {
  const times: number[] = []
  while (times.length < 3) {
    const condition = await attempt()
    const start = performance.now()
    await eventually(condition)
    const time = performance.now() - start
    if (time <= 1_000) return
    times.push(Math.round(time))
  }
  assert.fail(`took ${times.join(', ')} ms`)
}
