import { DEVICE_GRANT_TYPE, lines, quoted, type Flow, type SnippetParts } from './parts.ts'

/** A program for Python 3.8 or newer. */
export function inPython(flow: Flow, parts: SnippetParts): string {
  if (flow === 'client-credentials') return clientCredentials(parts)
  return flow === 'code' ? code(parts) : device(parts)
}

const constants = ({ issuer, clientId, secret }: SnippetParts) =>
  `ISSUER = ${quoted(issuer)}
CLIENT_ID = ${quoted(clientId)}${secret === undefined ? '' : '\nSECRET = os.environ["CLIENT_SECRET"]'}`

/** The modules that are imported, one a line. */
const imports = (...names: (string | false)[]) =>
  names
    .filter((name) => name !== false)
    .toSorted()
    .map((name) => `import ${name}`)
    .join('\n')

const modules = ({ secret }: SnippetParts) => [
  secret === 'header' && 'base64',
  'json',
  secret !== undefined && 'os',
  'urllib.request',
]

/** Asks an endpoint of the provider; a refusal is an answer too. */
function post({ secret }: SnippetParts): string {
  const who = {
    header: '',
    form: '"client_id": CLIENT_ID, "client_secret": SECRET, ',
    none: '"client_id": CLIENT_ID, ',
  }
  const header =
    secret === 'header'
      ? `
    credentials = base64.b64encode(f"{CLIENT_ID}:{SECRET}".encode()).decode()
    request.add_header("Authorization", "Basic " + credentials)`
      : ''
  return `def post(path, **form):
    body = urlencode({${who[secret ?? 'none']}**form}).encode()
    request = urllib.request.Request(ISSUER + path, body)${header}
    try:
        with urllib.request.urlopen(request) as response:
            return json.load(response)
    except HTTPError as refusal:
        return json.load(refusal)


def get(url, token):
    request = urllib.request.Request(url)
    request.add_header("Authorization", "Bearer " + token)
    with urllib.request.urlopen(request) as response:
        return json.load(response)

`
}

const REFUSED = `if "error" in token:
    raise SystemExit(token["error_description"])`

const USERINFO = 'print(get(ISSUER + "/me", token["access_token"]))'

const clientCredentials = (parts: SnippetParts) =>
  lines(
    imports(...modules(parts)),
    `from urllib.error import HTTPError
from urllib.parse import urlencode
`,
    constants(parts),
    '\n',
    post(parts),
    `token = post("/token", grant_type="client_credentials", scope="catalog:read")
${REFUSED}

found = get(${quoted(parts.search)}, token["access_token"])
for hit in found["data"]["items"]:
    print(hit["type"], hit["id"], hit["title"])`,
  )

const code = (parts: SnippetParts) =>
  lines(
    imports(...new Set([...modules(parts), 'base64', 'hashlib', 'secrets', 'webbrowser'])),
    `from http.server import BaseHTTPRequestHandler, HTTPServer
from urllib.error import HTTPError
from urllib.parse import parse_qs, urlencode, urlsplit
`,
    constants(parts),
    `REDIRECT_URI = ${quoted(parts.redirectUri)}

`,
    post(parts),
    `class Callback(BaseHTTPRequestHandler):
    answer = None

    def do_GET(self):
        url = urlsplit(self.path)
        ours = url.path == ${quoted(parts.path)}
        self.send_response(200 if ours else 404)
        self.end_headers()
        if ours:
            self.wfile.write(b"Go back to the program.")
            Callback.answer = parse_qs(url.query)

    def log_message(self, *_):
        pass


state = secrets.token_urlsafe(32)
verifier = secrets.token_urlsafe(32)
challenge = base64.urlsafe_b64encode(hashlib.sha256(verifier.encode()).digest())
address = ISSUER + "/auth?" + urlencode({
    "response_type": "code",
    "client_id": CLIENT_ID,
    "redirect_uri": REDIRECT_URI,
    "scope": "openid profile",
    "state": state,
    "code_challenge": challenge.rstrip(b"=").decode(),
    "code_challenge_method": "S256",
})
with HTTPServer((${quoted(parts.host)}, ${parts.port}), Callback) as server:
    print("Open this address and sign in:", address, sep="\\n", flush=True)
    webbrowser.open(address)
    while Callback.answer is None:
        server.handle_request()

answer = {name: values[0] for name, values in Callback.answer.items()}
if not secrets.compare_digest(answer.get("state", ""), state):
    raise SystemExit("That is no answer to this question")
if "error" in answer:
    raise SystemExit(answer.get("error_description", answer["error"]))

token = post(
    "/token",
    grant_type="authorization_code",
    code=answer["code"],
    code_verifier=verifier,
    redirect_uri=REDIRECT_URI,
)
${REFUSED}
${USERINFO}`,
  )

const device = (parts: SnippetParts) =>
  lines(
    imports(...modules(parts), 'time'),
    `from urllib.error import HTTPError
from urllib.parse import urlencode
`,
    constants(parts),
    '\n',
    post(parts),
    `device = post("/device/auth", scope="openid profile")
if "error" in device:
    raise SystemExit(device["error_description"])
print(f"Open {device['verification_uri']} and enter {device['user_code']}", flush=True)

interval = device.get("interval", 5)
token = {"error": "authorization_pending"}
while token.get("error") in ("authorization_pending", "slow_down"):
    if token["error"] == "slow_down":
        interval += 5
    time.sleep(interval)
    token = post(
        "/token",
        grant_type="${DEVICE_GRANT_TYPE}",
        device_code=device["device_code"],
    )
${REFUSED}
${USERINFO}`,
  )
