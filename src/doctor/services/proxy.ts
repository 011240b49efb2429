import { findCookieKeys } from '../../identity/provider/storage/cookie-keys.ts'
import { isJsonObject, parseJsonObject } from '../../kernel/is-json-object.ts'
import {
  createProbeToken,
  PROBE_ADDRESS,
  PROBE_HEADER,
  PROBE_PATH,
  type ProbeResult,
} from '../../operations/probe.ts'
import type { DatabaseCheck, DatabaseContext } from '../check.ts'
import { fault, warning, type Finding } from '../finding.ts'
import { detailOf } from '../why.ts'
import { requestPublic } from './public-request.ts'

/** Sends marked requests through the public URLs, and compares what arrives with `TRUSTED_PROXIES` and the limits. */
export const proxyCheck: DatabaseCheck = {
  id: 'proxy',
  needsSchema: true,
  async run(context) {
    const { authUrl, apiUrl, baseUrl, secretKey } = context.config
    const [key] = await findCookieKeys(context.db, secretKey)
    // The first start creates the key.
    if (key === undefined) return []
    const urls = new Map([
      [baseUrl, 'BASE_URL'],
      [apiUrl, 'API_URL'],
      [authUrl, 'AUTH_URL'],
    ])
    const findings = await Promise.all(
      [...urls].map(([url, setting]) => probeUrl(context, { url, setting, key })),
    )
    return findings.flat()
  },
}

async function probeUrl(
  { config: { trustedProxies }, limits: { bodyBytes } }: DatabaseContext,
  { url, setting, key }: { url: string; setting: string; key: string },
): Promise<Finding[]> {
  const target = new URL(PROBE_PATH, url)
  let small: Awaited<ReturnType<typeof sendProbe>>
  try {
    small = await sendProbe(target, key, 1)
  } catch {
    // The check of the public URLs reports it.
    return []
  }
  if (!small.result) return [warning('proxy.other_service', { params: { setting } })]
  const { hops } = small.result
  const findings: Finding[] =
    hops === trustedProxies
      ? []
      : [
          fault(hops > trustedProxies ? 'proxy.more_hops' : 'proxy.fewer_hops', {
            params: { setting, hops, trusted: trustedProxies },
          }),
        ]
  try {
    const large = await sendProbe(target, key, bodyBytes)
    if (large.result?.bytes !== bodyBytes)
      findings.push(fault('proxy.body_rejected', { params: { setting, status: large.status } }))
  } catch (error) {
    findings.push(fault('proxy.body_cut', { params: { setting }, detail: detailOf(error) }))
  }
  return findings
}

/**
 * Sends a probe with a body of that size.
 *
 * @returns no result if something else responded
 */
async function sendProbe(
  url: URL,
  key: string,
  bytes: number,
): Promise<{ status: number; result?: ProbeResult }> {
  const { status, body } = await requestPublic(url, {
    headers: {
      'content-type': 'application/octet-stream',
      'content-length': bytes,
      'x-forwarded-for': PROBE_ADDRESS,
      [PROBE_HEADER]: createProbeToken(key),
    },
    body: new Uint8Array(bytes),
  })
  const data = parseJsonObject(body)?.['data']
  if (status !== 200 || !isJsonObject(data)) return { status }
  return { status, result: { hops: Number(data['hops']), bytes: Number(data['bytes']) } }
}
