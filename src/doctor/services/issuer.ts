import { parseJsonObject } from '../../kernel/is-json-object.ts'
import { isLoopback } from '../../kernel/networks.ts'
import type { CheckContext, Limits, MachineCheck } from '../check.ts'
import { fault, graded, warning, type Finding } from '../finding.ts'
import { detailOf, whyOf } from '../why.ts'
import { requestPublic, type PublicResponse } from './public-request.ts'

const DAY_MS = 86_400_000

/** Requests each public URL as a client does: name, certificate, redirects, and the issuer it announces. */
export const issuerCheck: MachineCheck = {
  id: 'issuer',
  async run(context) {
    const { authUrl, apiUrl, baseUrl } = context.config
    const settings = new Map([
      [baseUrl, 'BASE_URL'],
      [apiUrl, 'API_URL'],
      [authUrl, 'AUTH_URL'],
    ])
    const findings = await Promise.all(
      [...settings].map(([url, setting]) => checkUrl(context, url, setting)),
    )
    return findings.flat()
  },
}

async function checkUrl(context: CheckContext, url: string, setting: string): Promise<Finding[]> {
  const isIssuer = url === context.config.authUrl
  const path = isIssuer ? '/oidc/.well-known/openid-configuration' : '/health/live'
  try {
    const response = await requestPublic(new URL(path, url))
    return [
      ...checkCertificate(response, setting, context),
      ...checkResponse(response, { setting, issuer: isIssuer ? `${url}/oidc` : undefined }),
    ]
  } catch (error) {
    const why = whyOf(error)
    // Before the first start, no service listens on this machine.
    const isNotRunning = why === 'refused' && isLoopback(new URL(url).hostname)
    const finding = isNotRunning ? warning : fault
    return [
      finding(isNotRunning ? 'issuer.not_running' : 'issuer.unreachable', {
        params: { setting, url },
        ...(!isNotRunning && { why }),
        detail: detailOf(error),
      }),
    ]
  }
}

function checkCertificate(
  { certificate }: PublicResponse,
  setting: string,
  { limits, now }: { limits: Limits; now: () => number },
): Finding[] {
  if (!certificate) return []
  const days = Math.floor((certificate.validTo.getTime() - now()) / DAY_MS)
  if (days < 0) return [fault('issuer.certificate_expired', { params: { setting, days: -days } })]
  const { fault: reason } = certificate
  const [soon, verySoon] = limits.certificateDays
  return [
    ...(reason === undefined
      ? []
      : [fault('issuer.certificate_invalid', { params: { setting, reason } })]),
    ...graded(-days, [-soon, -verySoon], 'issuer.certificate_expires', { setting, days }),
  ]
}

function checkResponse(
  { status, headers, body }: PublicResponse,
  { setting, issuer }: { setting: string; issuer: string | undefined },
): Finding[] {
  if (status >= 300 && status < 400)
    return [fault('issuer.redirect', { params: { setting, target: headers.location ?? '' } })]
  if (status !== 200) return [fault('issuer.status', { params: { setting, status } })]
  if (issuer === undefined) return []
  const announced = parseJsonObject(body)?.['issuer']
  if (typeof announced !== 'string') return [fault('issuer.other_program', { params: { setting } })]
  return announced === issuer
    ? []
    : [fault('issuer.other_issuer', { params: { issuer, announced } })]
}
