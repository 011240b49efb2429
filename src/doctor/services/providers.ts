import type { UpstreamProvider } from '../../config/config.ts'
import { UnreachableError } from '../../identity/upstream/fetch-upstream.ts'
import { UpstreamClient } from '../../identity/upstream/upstream-client.ts'
import { toUpstreamError } from '../../identity/upstream/upstream-error.ts'
import { causesOf } from '../../outbound/causes-of.ts'
import { isJsonObject } from '../../kernel/is-json-object.ts'
import type { MachineCheck } from '../check.ts'
import { fault, type Finding } from '../finding.ts'
import { whyOf } from '../why.ts'

/** Time, in milliseconds, after which a silent provider counts as unreachable. */
const TIMEOUT_MS = 4_000

/** Downloads the discovery document of each sign-in provider, as a sign-in does. */
export const providersCheck: MachineCheck = {
  id: 'providers',
  applies: ({ config }) => config.upstreamProviders.length > 0,
  async run({ config }) {
    const findings = await Promise.all(config.upstreamProviders.map(checkProvider))
    return findings.flat()
  },
}

async function checkProvider(provider: UpstreamProvider): Promise<Finding[]> {
  try {
    await new UpstreamClient(provider, { deadlineMs: TIMEOUT_MS }).checkDiscovery()
    return []
  } catch (error) {
    return [explainFailure(provider, error)]
  }
}

function explainFailure({ name, issuerUrl }: UpstreamProvider, error: unknown): Finding {
  const setting = `UPSTREAM_${name.toUpperCase()}_ISSUER`
  const { message: detail } = toUpstreamError(error)
  const unreachable = causesOf(error).find((cause) => cause instanceof UnreachableError)
  if (unreachable)
    return fault('providers.unreachable', {
      params: { setting, url: issuerUrl },
      why: whyOf(unreachable),
      detail,
    })
  const cause = error instanceof Error ? error.cause : undefined
  if (cause instanceof Response && cause.status !== 200)
    return fault('providers.status', { params: { setting, status: cause.status }, detail })
  const announced = announcedIssuer(cause)
  return announced === undefined
    ? fault('providers.no_document', { params: { setting, url: issuerUrl }, detail })
    : fault('providers.other_issuer', { params: { setting, url: issuerUrl, announced }, detail })
}

/** Returns the issuer of a document that the library rejects because of its issuer. */
function announcedIssuer(cause: unknown): string | undefined {
  if (!isJsonObject(cause) || cause['attribute'] !== 'issuer') return undefined
  const body = cause['body']
  return isJsonObject(body) && typeof body['issuer'] === 'string' ? body['issuer'] : undefined
}
