import { explainProxyFailure, failureOfStatus } from './proxy-error.ts'

/**
 * Sends a request to a destination that the operator chose, through the proxy if there is one.
 *
 * @throws {ProxyError} if the proxy fails; otherwise as `fetch`
 */
export async function fetchOutbound(address: string | URL, init: RequestInit): Promise<Response> {
  const url = new URL(address)
  try {
    const response = await fetch(url, init)
    const failure = failureOfStatus(url, response.status)
    if (failure === undefined) return response
    await response.body?.cancel()
    throw failure
  } catch (error) {
    throw explainProxyFailure(url, error, init.signal?.aborted)
  }
}
