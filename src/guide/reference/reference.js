// Sends operations with the client package, which is loaded at the first sign-in or request. The token is pasted, or obtained
// through a sign-in, and stored for this tab only.
const TOKEN = 'mokuroku-reference-token'
const FLOW = 'mokuroku-reference-flow'

/** @param {string} name */
const read = (name) => {
  try {
    return JSON.parse(sessionStorage.getItem(name) ?? 'null')
  } catch {
    return null
  }
}
const load = () => import('/assets/sdk.js')

/** @type {typeof fetch} */
const privately = (target, options) =>
  fetch(target, {
    ...options,
    credentials: 'omit',
    referrerPolicy: 'no-referrer',
    cache: 'no-store',
  })

/**
 * Settings of the client package for this page's app.
 *
 * @param {{ issuer: string; client: string }} app
 * @param {string} [reader]
 */
const appOf = ({ issuer, client }, reader) => ({
  server: location.origin,
  issuer,
  clientId: client,
  fetch: privately,
  store: {
    get: () => read(TOKEN),
    /** @param {object | undefined} tokens */
    set: (tokens) => sessionStorage.setItem(TOKEN, JSON.stringify({ ...tokens, reader })),
  },
})

/** @param {HTMLElement} line */
async function finish(line) {
  const words = JSON.parse(line.dataset.words)
  const flow = read(FLOW)
  const { href, pathname } = location
  // The flow can be used only once, and its parameters must not stay in the URL.
  sessionStorage.removeItem(FLOW)
  history.replaceState(null, '', pathname)
  if (!flow) return (line.textContent = words.notOurs)
  const { finishSignIn } = await load()
  try {
    await finishSignIn(appOf(flow, line.dataset.reader), flow.pending, href)
  } catch (error) {
    const { code, message, cause } = /** @type {import('/assets/sdk.js').MokurokuError} */ (error)
    return (line.textContent = cause
      ? words.unreachable
      : code.endsWith('_mismatch')
        ? words.notOurs
        : `${words.refused} ${message}`)
  }
  location.replace(/^\/docs\/\w+$/.test(flow.back) ? `${flow.back}#try` : '/docs')
}

/** @param {HTMLElement} section */
function start(section) {
  const form = section.querySelector('form')
  const { method, target, issuer, client, redirect, needs, reader } = section.dataset
  const app = appOf({ issuer, client })
  // The user has signed out, or someone else has signed in: drop the token.
  if (read(TOKEN)?.reader !== reader) sessionStorage.removeItem(TOKEN)
  const words = JSON.parse(section.dataset.words)
  /**
   * @param {string} name
   * @returns {any}
   */
  const find = (name) => section.querySelector(`[data-${name}]`)
  const pasted = find('token')
  const state = find('token-state')
  const answer = find('answer')

  const current = () => {
    const own = pasted?.value.trim().replace(/^Bearer\s+/i, '')
    if (own) return { access_token: own }
    const kept = read(TOKEN)
    return kept && kept.expires_at > Date.now() ? kept : null
  }
  const request = () => {
    let address = target
    const query = new URLSearchParams()
    const fields = /** @type {NodeListOf<HTMLInputElement>} */ (
      form.querySelectorAll('[data-name]')
    )
    for (const field of fields) {
      const { name } = field.dataset
      if (field.dataset.in === 'path')
        address = address.replace(`{${name}}`, () => encodeURIComponent(field.value))
      else if (field.value !== '') query.append(name, field.value)
    }
    const body = find('body')?.value
    const headers = body === undefined ? {} : { 'Content-Type': find('type').value }
    return { address: query.size > 0 ? `${address}?${query}` : address, headers, body }
  }
  /** @param {string} text */
  const quoted = (text) => `'${text.replaceAll("'", String.raw`'\''`)}'`
  const show = () => {
    const { address, headers, body } = request()
    const lines = [`curl${method === 'GET' ? '' : ` -X ${method}`} ${quoted(address)}`]
    if (needs) lines.push('-H "Authorization: Bearer $TOKEN"')
    for (const [name, value] of Object.entries(headers))
      lines.push(`-H ${quoted(`${name}: ${value}`)}`)
    if (body !== undefined) lines.push(`-d ${quoted(body)}`)
    find('curl').textContent = lines.join(' \\\n  ')
    if (!state) return
    const token = current()
    const lacks = needs && token?.scope && !holds(token.scope.split(' '), needs)
    find('forget').hidden = !token
    state.textContent = !token
      ? words.noToken
      : token.scope === undefined
        ? words.pasted
        : lacks
          ? words.lacks.replace('{}', needs)
          : words.has.replace(
              '{}',
              new Date(token.expires_at).toLocaleTimeString(document.documentElement.lang),
            )
  }
  /**
   * @param {string[]} scopes
   * @param {string} scope
   */
  const holds = (scopes, scope) =>
    scopes.includes(scope) ||
    scopes.includes(scope.replace(/:read$/, ':write')) ||
    (scope === 'catalog:read' && scopes.includes('catalog:full'))

  const signIn = find('sign-in')
  signIn?.addEventListener('click', async () => {
    if (!crypto.subtle) return (state.textContent = words.insecure)
    const known = read(TOKEN)?.scope?.split(' ') ?? []
    const scope = [...new Set([...known, signIn.dataset.signIn])].join(' ')
    const sdk = await load().catch(() => undefined)
    if (!sdk) return (state.textContent = words.unreachable)
    const { url, pending } = await sdk.startSignIn(app, {
      redirectUri: redirect,
      scope,
      ui_locales: document.documentElement.lang,
    })
    const flow = { pending, issuer, client, back: location.pathname }
    sessionStorage.setItem(FLOW, JSON.stringify(flow))
    location.assign(url)
  })
  find('forget')?.addEventListener('click', () => {
    const kept = read(TOKEN)
    sessionStorage.removeItem(TOKEN)
    pasted.value = ''
    show()
    if (kept)
      load()
        .then(({ memoryStore, signOut }) => signOut({ ...app, store: memoryStore(kept) }))
        .catch(() => {})
  })

  new BroadcastChannel('mokuroku-signed-out').addEventListener('message', () => {
    sessionStorage.removeItem(TOKEN)
    if (pasted) pasted.value = ''
    answer.hidden = true
    show()
  })
  form.addEventListener('input', show)
  form.addEventListener('submit', async (event) => {
    event.preventDefault()
    const { address, headers, body } = request()
    const token = needs ? current()?.access_token : undefined
    /** @param {string[]} texts */
    const tell = (...[status, time, head, text]) => {
      find('answer-status').textContent = status
      find('answer-time').textContent = time
      find('answer-headers').textContent = head
      find('answer-body').textContent = text
      answer.hidden = false
      find('state').textContent = `${words.answered} ${status}`
    }
    // Token syntax of RFC 6750. Other values cannot be sent.
    if (token !== undefined && !/^[\w.~+/-]+=*$/.test(token))
      return tell('', '', '', words.noSuchToken)
    const button = form.querySelector('button:not([type])')
    button.disabled = true
    /** @type {string[] | undefined} */
    let answered
    /** @type {typeof fetch} */
    const record = async (...given) => {
      const started = performance.now()
      const response = await privately(...given)
      const text = await response.clone().text()
      const time = `${Math.round(performance.now() - started)} ms`
      const head = [...response.headers].map(([name, value]) => `${name}: ${value}`).join('\n')
      const status = `${response.status} ${response.statusText}`
      answered = [status, time, head, pretty(text).slice(0, 200_000)]
      return response
    }
    try {
      const { createClient } = await load()
      const { origin } = new URL(address)
      const client = createClient({ server: origin, api: origin, token, cache: false })
      const options = { headers, retries: 0, timeout: 90_000, fetch: record }
      await client.send(method, address.slice(origin.length), { body }, options)
    } catch {
      // Shown below: the recorded response, or that the service did not respond.
    }
    button.disabled = false
    if (answered) tell(...answered)
    else tell('', '', '', words.unreachable)
  })
  form.hidden = false
  show()
}

/** @param {string} text */
function pretty(text) {
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return text
  }
}

const line = document.querySelector('[data-callback]')
if (line) finish(line).catch(() => (line.textContent = JSON.parse(line.dataset.words).unreachable))
for (const section of document.querySelectorAll('[data-try]')) start(section)
