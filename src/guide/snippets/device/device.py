import base64  # only client_secret_basic
import json
import os  # only client_secret_basic, client_secret_post
import time
import urllib.request
from urllib.error import HTTPError
from urllib.parse import urlencode

ISSUER = "http://localhost:14790/oidc"
CLIENT_ID = "mk_example"
SECRET = os.environ["CLIENT_SECRET"]  # only client_secret_basic, client_secret_post


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


device = post("/device/auth", scope="openid profile")
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
        grant_type="urn:ietf:params:oauth:grant-type:device_code",
        device_code=device["device_code"],
    )
if "error" in token:
    raise SystemExit(token["error_description"])
print(get(ISSUER + "/me", token["access_token"]))
