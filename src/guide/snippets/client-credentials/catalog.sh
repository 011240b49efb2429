#!/usr/bin/env bash
set -euo pipefail

ISSUER='http://localhost:14790/oidc'
CLIENT=(-u "mk_example:$CLIENT_SECRET") # only client_secret_basic
CLIENT=(-d client_id=mk_example -d "client_secret=$CLIENT_SECRET") # only client_secret_post

TOKEN=$(curl -sS --fail-with-body "${CLIENT[@]}" \
  -d grant_type=client_credentials -d scope=catalog:read \
  "$ISSUER/token" |
  sed 's/.*"access_token":"\([^"]*\)".*/\1/')

curl -sS --fail-with-body -H "Authorization: Bearer $TOKEN" \
  'http://localhost:14790/api/v3/open/search?q=clannad'
