import { DEVICE_GRANT_TYPE, lines, quoted, type Flow, type SnippetParts } from './parts.ts'

/** A program for Node 18 or newer. */
export function inJavaScript(flow: Flow, parts: SnippetParts): string {
  if (flow === 'client-credentials') return clientCredentials(parts)
  return flow === 'code' ? code(parts) : device(parts)
}

const constants = ({ issuer, clientId, secret }: SnippetParts) =>
  `const issuer = ${quoted(issuer)}
const clientId = ${quoted(clientId)}${secret === undefined ? '' : '\nconst secret = env.CLIENT_SECRET'}`

/** Asks an endpoint of the provider. */
function post({ secret }: SnippetParts): string {
  const who = {
    header: '',
    form: 'client_id: clientId, client_secret: secret, ',
    none: 'client_id: clientId, ',
  }
  const headers =
    secret === 'header'
      ? `
    headers: { authorization: \`Basic \${btoa(\`\${clientId}:\${secret}\`)}\` },`
      : ''
  return `async function post(path, form) {
  const response = await fetch(issuer + path, {
    method: 'POST',${headers}
    body: new URLSearchParams({ ${who[secret ?? 'none']}...form }),
  })
  return response.json()
}`
}

const USERINFO = `const me = await fetch(\`\${issuer}/me\`, { headers: { authorization: \`Bearer \${token.access_token}\` } })
console.log(await me.json())`

/** The modules of Node it takes, one a line, with an empty line behind. */
function imports({ secret }: SnippetParts, ...more: string[]): string | undefined {
  const all = [...more, ...(secret === undefined ? [] : ["import { env } from 'node:process'"])]
  return all.length === 0 ? undefined : `${all.toSorted(byModule).join('\n')}\n`
}

const moduleOf = (line: string) => line.split(' from ')[1] ?? ''
const byModule = (one: string, other: string) => (moduleOf(one) < moduleOf(other) ? -1 : 1)

const clientCredentials = (parts: SnippetParts) =>
  lines(
    imports(parts),
    constants(parts),
    '',
    post(parts),
    `
const token = await post('/token', { grant_type: 'client_credentials', scope: 'catalog:read' })
if (token.error) throw new Error(token.error_description)

const response = await fetch(${quoted(parts.search)}, {
  headers: { authorization: \`Bearer \${token.access_token}\` },
})
const { data } = await response.json()
for (const { type, id, title } of data.items) console.log(type, id, title)`,
  )

const code = (parts: SnippetParts) =>
  lines(
    imports(
      parts,
      "import { createHash, randomBytes } from 'node:crypto'",
      "import { createServer } from 'node:http'",
    ),
    constants(parts),
    `const redirectUri = ${quoted(parts.redirectUri)}
`,
    post(parts),
    `
const state = randomBytes(32).toString('base64url')
const verifier = randomBytes(32).toString('base64url')
const query = new URLSearchParams({
  response_type: 'code',
  client_id: clientId,
  redirect_uri: redirectUri,
  scope: 'openid profile',
  state,
  code_challenge: createHash('sha256').update(verifier).digest('base64url'),
  code_challenge_method: 'S256',
})
console.log(\`Open this address and sign in:\\n\${issuer}/auth?\${query}\`)

const answer = await new Promise((resolve) => {
  const server = createServer((request, response) => {
    const url = new URL(request.url, redirectUri)
    if (url.pathname !== ${quoted(parts.path)}) return response.writeHead(404).end()
    response.setHeader('connection', 'close').end('Go back to the program.')
    server.close()
    resolve(url.searchParams)
  })
  server.listen(${parts.port}, ${quoted(parts.host)})
})
if (answer.get('state') !== state) throw new Error('That is no answer to this question')
if (answer.has('error')) throw new Error(answer.get('error_description'))

const token = await post('/token', {
  grant_type: 'authorization_code',
  code: answer.get('code'),
  code_verifier: verifier,
  redirect_uri: redirectUri,
})
if (token.error) throw new Error(token.error_description)
`,
    USERINFO,
  )

const device = (parts: SnippetParts) =>
  lines(
    imports(parts, "import { setTimeout } from 'node:timers/promises'"),
    constants(parts),
    '',
    post(parts),
    `
const device = await post('/device/auth', { scope: 'openid profile' })
if (device.error) throw new Error(device.error_description)
console.log(\`Open \${device.verification_uri} and enter \${device.user_code}\`)

let interval = device.interval ?? 5
let token
do {
  await setTimeout(interval * 1000)
  token = await post('/token', {
    grant_type: '${DEVICE_GRANT_TYPE}',
    device_code: device.device_code,
  })
  if (token.error === 'slow_down') interval += 5
} while (token.error === 'authorization_pending' || token.error === 'slow_down')
if (token.error) throw new Error(token.error_description)
`,
    USERINFO,
  )
