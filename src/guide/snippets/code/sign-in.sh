#!/usr/bin/env bash
set -euo pipefail

ISSUER='http://localhost:14790/oidc'
CLIENT=(-u "mk_example:$CLIENT_SECRET") # only client_secret_basic
CLIENT=(-d client_id=mk_example -d "client_secret=$CLIENT_SECRET") # only client_secret_post
CLIENT=(-d client_id=mk_example) # only none
REDIRECT_URI='http://127.0.0.1:8976/callback'

random() {
  head -c 32 /dev/urandom | base64 | tr '+/' '-_' | tr -d '=\n'
}
STATE=$(random)
VERIFIER=$(random)
CHALLENGE=$(printf %s "$VERIFIER" | openssl dgst -sha256 -binary | base64 | tr '+/' '-_' | tr -d '=')
QUERY='response_type=code&client_id=mk_example&redirect_uri=http%3A%2F%2F127.0.0.1%3A8976%2Fcallback&scope=openid+profile&code_challenge_method=S256'

echo "Open this address and sign in:"
echo "$ISSUER/auth?$QUERY&state=$STATE&code_challenge=$CHALLENGE"
echo "Nothing answers where your browser ends up. Paste that address here:"
read -r ANSWER

case "$ANSWER" in
  *[?\&]state="$STATE"*) ;;
  *) echo "That is no answer to this question" >&2; exit 1 ;;
esac
CODE=$(printf %s "$ANSWER" | sed -n 's/.*[?&]code=\([^&]*\).*/\1/p')

TOKEN=$(curl -sS --fail-with-body "${CLIENT[@]}" \
  -d grant_type=authorization_code -d "code=$CODE" -d "code_verifier=$VERIFIER" \
  --data-urlencode "redirect_uri=$REDIRECT_URI" \
  "$ISSUER/token" |
  sed 's/.*"access_token":"\([^"]*\)".*/\1/')

curl -sS --fail-with-body -H "Authorization: Bearer $TOKEN" \
  "$ISSUER/me"
