import base64
import hashlib
import json
import os  # only client_secret_basic, client_secret_post
import secrets
import urllib.request
import webbrowser
from http.server import BaseHTTPRequestHandler, HTTPServer
from urllib.error import HTTPError
from urllib.parse import parse_qs, urlencode, urlsplit

ISSUER = "http://localhost:14790/oidc"
CLIENT_ID = "mk_example"
SECRET = os.environ["CLIENT_SECRET"]  # only client_secret_basic, client_secret_post
REDIRECT_URI = "http://127.0.0.1:8976/callback"


def post(path, **form):
    form["client_id"] = CLIENT_ID  # only client_secret_post, none
    form["client_secret"] = SECRET  # only client_secret_post
    request = urllib.request.Request(ISSUER + path, urlencode(form).encode())
    credentials = base64.b64encode(f"{CLIENT_ID}:{SECRET}".encode()).decode()  # only client_secret_basic
    request.add_header("Authorization", "Basic " + credentials)  # only client_secret_basic
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


class Callback(BaseHTTPRequestHandler):
    answer = None

    def do_GET(self):
        url = urlsplit(self.path)
        ours = url.path == "/callback"
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
with HTTPServer(("127.0.0.1", 8976), Callback) as server:
    print("Open this address and sign in:", address, sep="\n", flush=True)
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
if "error" in token:
    raise SystemExit(token["error_description"])
print(get(ISSUER + "/me", token["access_token"]))
