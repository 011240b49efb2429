// Tries an operation with a token that is stored for this tab only. The token is pasted, or obtained through the code
// flow with PKCE.
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
/** @param {ArrayBuffer | Uint8Array} bytes */
const base64url = (bytes) =>
  btoa(String.fromCharCode(...new Uint8Array(bytes)))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '')
const random = () => base64url(crypto.getRandomValues(new Uint8Array(32)))
/**
 * @param {string} address
 * @param {Record<string, string>} form
 */
const post = (address, form) =>
  fetch(address, {
    method: 'POST',
    body: new URLSearchParams(form),
    credentials: 'omit',
    referrerPolicy: 'no-referrer',
  })

/** @param {HTMLElement} line */
async function finish(line) {
  const words = JSON.parse(line.dataset.words)
  const answer = new URLSearchParams(location.search)
  const flow = read(FLOW)
  // The flow can be used only once, and its parameters must not stay in the URL.
  sessionStorage.removeItem(FLOW)
  history.replaceState(null, '', location.pathname)
  const isOurs = flow && answer.get('state') === flow.state && answer.get('iss') === flow.issuer
  if (!isOurs) return (line.textContent = words.notOurs)
  if (answer.has('error'))
    return (line.textContent = `${words.refused} ${answer.get('error_description') ?? answer.get('error')}`)
  const response = await post(`${flow.issuer}/token`, {
    grant_type: 'authorization_code',
    client_id: flow.client,
    code: answer.get('code') ?? '',
    code_verifier: flow.verifier,
    redirect_uri: flow.redirect,
  })
  const tokens = await response.json()
  if (!response.ok)
    return (line.textContent = `${words.refused} ${tokens.error_description ?? tokens.error}`)
  const expires = Date.now() + tokens.expires_in * 1_000
  const { issuer, client } = flow
  const { reader } = line.dataset
  const kept = { token: tokens.access_token, scope: tokens.scope, expires, issuer, client, reader }
  sessionStorage.setItem(TOKEN, JSON.stringify(kept))
  location.replace(/^\/docs\/\w+$/.test(flow.back) ? `${flow.back}#try` : '/docs')
}

/** @param {HTMLElement} section */
function start(section) {
  const form = section.querySelector('form')
  const { method, target, issuer, client, redirect, needs, reader } = section.dataset
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
    if (own) return { token: own }
    const kept = read(TOKEN)
    return kept && kept.expires > Date.now() ? kept : null
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
              new Date(token.expires).toLocaleTimeString(document.documentElement.lang),
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
    const flow = {
      state: random(),
      verifier: random(),
      back: location.pathname,
      issuer,
      client,
      redirect,
    }
    const challenge = base64url(
      await crypto.subtle.digest('SHA-256', new TextEncoder().encode(flow.verifier)),
    )
    sessionStorage.setItem(FLOW, JSON.stringify(flow))
    location.assign(
      `${issuer}/auth?${new URLSearchParams({
        response_type: 'code',
        client_id: client,
        redirect_uri: redirect,
        scope,
        state: flow.state,
        code_challenge: challenge,
        code_challenge_method: 'S256',
        ui_locales: document.documentElement.lang,
      })}`,
    )
  })
  find('forget')?.addEventListener('click', () => {
    const kept = read(TOKEN)
    sessionStorage.removeItem(TOKEN)
    pasted.value = ''
    show()
    if (kept)
      post(`${kept.issuer}/token/revocation`, { token: kept.token, client_id: kept.client }).catch(
        () => {},
      )
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
    const token = needs ? current()?.token : undefined
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
    const started = performance.now()
    try {
      const response = await fetch(address, {
        method,
        headers: { ...headers, ...(token && { Authorization: `Bearer ${token}` }) },
        ...(body !== undefined && { body }),
        credentials: 'omit',
        referrerPolicy: 'no-referrer',
        cache: 'no-store',
      })
      const text = await response.text()
      const time = `${Math.round(performance.now() - started)} ms`
      const head = [...response.headers].map(([name, value]) => `${name}: ${value}`).join('\n')
      tell(`${response.status} ${response.statusText}`, time, head, pretty(text).slice(0, 200_000))
    } catch {
      tell('', '', '', words.unreachable)
    } finally {
      button.disabled = false
    }
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
