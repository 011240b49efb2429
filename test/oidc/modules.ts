/** Modules of a certification plan, with their results. Each is tested under its own name. */
export type ConformancePlan = { id: string; modules: Record<string, string> }

const PASS = 'passes'
const NO_SUCH_SCOPE =
  'differs: a scope the app does not have is rejected with `invalid_scope` (§5.2, §7); the suite skips scopes that discovery does not list'
const STATIC = 'passes; the suite skips it without dynamic client registration (§4.2)'

/** Certification plans of the OpenID Foundation's conformance suite, in its order. */
export const PLANS: ConformancePlan[] = [
  {
    id: 'oidcc-basic-certification-test-plan',
    modules: {
      'oidcc-server': PASS,
      'oidcc-response-type-missing': 'passes: redirect with `invalid_request`',
      'oidcc-idtoken-signature': STATIC,
      'oidcc-idtoken-unsigned': STATIC,
      'oidcc-userinfo-get': PASS,
      'oidcc-userinfo-post-header': PASS,
      'oidcc-userinfo-post-body': PASS,
      'oidcc-ensure-request-without-nonce-succeeds-for-code-flow': PASS,
      'oidcc-scope-profile': PASS,
      'oidcc-scope-email': PASS,
      'oidcc-scope-address': NO_SUCH_SCOPE,
      'oidcc-scope-phone': NO_SUCH_SCOPE,
      'oidcc-scope-all': NO_SUCH_SCOPE,
      'oidcc-alternate-happy-flow': PASS,
      'oidcc-ensure-other-scope-order-succeeds': PASS,
      'oidcc-display-page': PASS,
      'oidcc-display-popup': PASS,
      'oidcc-prompt-login': PASS,
      'oidcc-prompt-none-not-logged-in': PASS,
      'oidcc-prompt-none-logged-in': PASS,
      'oidcc-max-age-1': PASS,
      'oidcc-max-age-10000': PASS,
      'oidcc-ensure-request-with-unknown-parameter-succeeds': PASS,
      'oidcc-id-token-hint': PASS,
      'oidcc-login-hint': PASS,
      'oidcc-ui-locales': PASS,
      'oidcc-claims-locales': PASS,
      'oidcc-ensure-request-with-acr-values-succeeds':
        'passes: the parameter is ignored, and ID tokens have no `acr`',
      'oidcc-codereuse': PASS,
      'oidcc-codereuse-30seconds': PASS,
      'oidcc-ensure-registered-redirect-uri': PASS,
      'oidcc-ensure-post-request-succeeds': PASS,
      'oidcc-server-client-secret-post': PASS,
      'oidcc-request-uri-unsigned-supported-correctly-or-rejected-as-unsupported':
        'passes: redirect with `request_uri_not_supported`',
      'oidcc-unsigned-request-object-supported-correctly-or-rejected-as-unsupported':
        'passes: redirect with `request_not_supported`',
      'oidcc-claims-essential':
        'passes with a warning from the suite: `claims` is ignored, as discovery states; the scopes decide (§5.2)',
      'oidcc-ensure-request-object-with-redirect-uri': 'passes: error page',
      'oidcc-refresh-token': PASS,
      'oidcc-ensure-request-with-valid-pkce-succeeds': PASS,
    },
  },
  {
    id: 'oidcc-config-certification-test-plan',
    modules: { 'oidcc-discovery-endpoint-verification': PASS },
  },
  {
    id: 'oidcc-rp-initiated-logout-certification-test-plan',
    modules: {
      'oidcc-rp-initiated-logout-discovery-endpoint-verification': PASS,
      'oidcc-rp-initiated-logout': PASS,
      'oidcc-rp-initiated-logout-bad-post-logout-redirect-uri': 'passes: error page',
      'oidcc-rp-initiated-logout-modified-id-token-hint': 'passes: error page',
      'oidcc-rp-initiated-logout-no-id-token-hint':
        'passes: the user is asked to confirm, and is not redirected',
      'oidcc-rp-initiated-logout-no-params': PASS,
      'oidcc-rp-initiated-logout-no-post-logout-redirect-uri': PASS,
      'oidcc-rp-initiated-logout-no-state': PASS,
      'oidcc-rp-initiated-logout-only-state': PASS,
      'oidcc-rp-initiated-logout-query-added-to-post-logout-redirect-uri': 'passes: error page',
      'oidcc-rp-initiated-logout-bad-id-token-hint': 'passes: error page',
    },
  },
]

/** Renders docs/conformance.md. @param fileOf returns the test file of a module */
export function conformanceTable(fileOf: (module: string) => string): string {
  const rows = PLANS.flatMap(({ id, modules }) => [
    `| **\`${id}\`** | | |`,
    ...Object.entries(modules).map(
      ([module, result]) => `| \`${module}\` | \`${fileOf(module)}\` | ${result} |`,
    ),
  ])
  return `# Conformance

These modules of the OpenID Foundation's conformance suite are ported as tests. The suite itself has not been run: its
requests lack a \`code_challenge\` and are rejected, because PKCE is mandatory (§5.2). The ported requests include one.

| module | test | result |
|---|---|---|
${rows.join('\n')}
`
}
