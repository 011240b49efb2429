import base64  # only client_secret_basic
import json
import os
import urllib.request
from urllib.error import HTTPError
from urllib.parse import urlencode

ISSUER = "http://localhost:14790/oidc"
CLIENT_ID = "mk_example"
SECRET = os.environ["CLIENT_SECRET"]


def post(path, **form):
    form["client_id"] = CLIENT_ID  # only client_secret_post
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


token = post("/token", grant_type="client_credentials", scope="catalog:read")
if "error" in token:
    raise SystemExit(token["error_description"])

found = get("http://localhost:14790/api/v3/open/search?q=clannad", token["access_token"])
for hit in found["data"]["items"]:
    print(hit["type"], hit["id"], hit["title"])
