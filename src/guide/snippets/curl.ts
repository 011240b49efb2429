import { DEVICE_GRANT_TYPE, lines, shellQuoted, type Flow, type SnippetParts } from './parts.ts'

/** A program for a shell. */
export function inCurl(flow: Flow, parts: SnippetParts): string {
  const head = ['#!/usr/bin/env bash', 'set -euo pipefail', '']
  if (flow === 'client-credentials') return lines(...head, ...clientCredentials(parts))
  return lines(...head, ...(flow === 'code' ? code(parts) : device(parts)))
}

const FIELD = `sed 's/.*"access_token":"\\([^"]*\\)".*/\\1/'`

/** What says who the app is, as arguments of curl. */
function client({ clientId, secret }: SnippetParts): string {
  if (secret === 'header') return `-u "${clientId}:$CLIENT_SECRET"`
  return secret === 'form'
    ? `-d client_id=${clientId} -d "client_secret=$CLIENT_SECRET"`
    : `-d client_id=${clientId}`
}

const clientCredentials = (parts: SnippetParts) => [
  `TOKEN=$(curl -sS --fail-with-body ${client(parts)} \\`,
  '  -d grant_type=client_credentials -d scope=catalog:read \\',
  `  ${shellQuoted(`${parts.issuer}/token`)} |`,
  `  ${FIELD})`,
  '',
  'curl -sS --fail-with-body -H "Authorization: Bearer $TOKEN" \\',
  `  ${shellQuoted(parts.search)}`,
]

function code(parts: SnippetParts): string[] {
  const { clientId, issuer, redirectUri } = parts
  const query = new URLSearchParams({
    response_type: 'code',
    client_id: clientId,
    redirect_uri: redirectUri,
    scope: 'openid profile',
    code_challenge_method: 'S256',
  })
  return [
    'random() {',
    "  head -c 32 /dev/urandom | base64 | tr '+/' '-_' | tr -d '=\\n'",
    '}',
    'STATE=$(random)',
    'VERIFIER=$(random)',
    `CHALLENGE=$(printf %s "$VERIFIER" | openssl dgst -sha256 -binary | base64 | tr '+/' '-_' | tr -d '=')`,
    `REDIRECT_URI=${shellQuoted(redirectUri)}`,
    '',
    'echo "Open this address and sign in:"',
    `echo ${shellQuoted(`${issuer}/auth?${query.toString()}`)}"&state=$STATE&code_challenge=$CHALLENGE"`,
    'echo "Nothing answers where your browser ends up. Paste that address here:"',
    'read -r ANSWER',
    '',
    'case "$ANSWER" in',
    '  *[?\\&]state="$STATE"*) ;;',
    '  *) echo "That is no answer to this question" >&2; exit 1 ;;',
    'esac',
    'CODE=$(printf %s "$ANSWER" | sed -n \'s/.*[?&]code=\\([^&]*\\).*/\\1/p\')',
    '',
    `TOKEN=$(curl -sS --fail-with-body ${client(parts)} \\`,
    '  -d grant_type=authorization_code -d "code=$CODE" -d "code_verifier=$VERIFIER" \\',
    '  --data-urlencode "redirect_uri=$REDIRECT_URI" \\',
    `  ${shellQuoted(`${issuer}/token`)} |`,
    `  ${FIELD})`,
    '',
    ...userinfo(issuer),
  ]
}

const device = (parts: SnippetParts) => [
  'field() {',
  '  sed -n \'s/.*"\'"$1"\'": *"\\{0,1\\}\\([^",}]*\\).*/\\1/p\'',
  '}',
  `DEVICE=$(curl -sS --fail-with-body ${client(parts)} --data-urlencode 'scope=openid profile' \\`,
  `  ${shellQuoted(`${parts.issuer}/device/auth`)})`,
  'echo "Open $(field verification_uri <<<"$DEVICE") and enter $(field user_code <<<"$DEVICE")"',
  'INTERVAL=$(field interval <<<"$DEVICE")',
  'INTERVAL=${INTERVAL:-5}',
  '',
  'while sleep "$INTERVAL"; do',
  `  ANSWER=$(curl -sS ${client(parts)} -d grant_type=${DEVICE_GRANT_TYPE} \\`,
  `    -d "device_code=$(field device_code <<<"$DEVICE")" ${shellQuoted(`${parts.issuer}/token`)})`,
  '  case "$(field error <<<"$ANSWER")" in',
  '    authorization_pending) ;;',
  '    slow_down) INTERVAL=$((INTERVAL + 5)) ;;',
  '    "") break ;;',
  '    *) echo "$ANSWER" >&2; exit 1 ;;',
  '  esac',
  'done',
  'TOKEN=$(field access_token <<<"$ANSWER")',
  '',
  ...userinfo(parts.issuer),
]

const userinfo = (issuer: string) => [
  'curl -sS --fail-with-body -H "Authorization: Bearer $TOKEN" \\',
  `  ${shellQuoted(`${issuer}/me`)}`,
]
