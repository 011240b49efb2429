#!/usr/bin/env bash
set -euo pipefail

ISSUER='http://localhost:14790/oidc'
CLIENT=(-u "mk_example:$CLIENT_SECRET") # only client_secret_basic
CLIENT=(-d client_id=mk_example -d "client_secret=$CLIENT_SECRET") # only client_secret_post
CLIENT=(-d client_id=mk_example) # only none

field() {
  sed -n 's/.*"'"$1"'": *"\{0,1\}\([^",}]*\).*/\1/p'
}
DEVICE=$(curl -sS --fail-with-body "${CLIENT[@]}" --data-urlencode 'scope=openid profile' \
  "$ISSUER/device/auth")
echo "Open $(field verification_uri <<<"$DEVICE") and enter $(field user_code <<<"$DEVICE")"
INTERVAL=$(field interval <<<"$DEVICE")
INTERVAL=${INTERVAL:-5}

while sleep "$INTERVAL"; do
  ANSWER=$(curl -sS "${CLIENT[@]}" -d grant_type=urn:ietf:params:oauth:grant-type:device_code \
    -d "device_code=$(field device_code <<<"$DEVICE")" "$ISSUER/token")
  case "$(field error <<<"$ANSWER")" in
    authorization_pending) ;;
    slow_down) INTERVAL=$((INTERVAL + 5)) ;;
    "") break ;;
    *) echo "$ANSWER" >&2; exit 1 ;;
  esac
done
TOKEN=$(field access_token <<<"$ANSWER")

curl -sS --fail-with-body -H "Authorization: Bearer $TOKEN" \
  "$ISSUER/me"
