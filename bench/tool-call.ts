import { watchMachine } from './support/busy.ts'
import type { Claim } from './support/claim.ts'
import { median } from './support/rounds.ts'
import { encodeCredentials, TOKEN_FORM } from './support/service.ts'

const ID = 500
/** Maximum median time, in milliseconds, of a tool call above that of the request to the API. */
const MAX_ADDED_MS = 2
const PAIRS_PER_ROUND = 300

/** Measures a call of a tool against the request to the API with the same result, one at a time and alternately. */
export const toolCall: Claim = {
  name: 'tool-call',
  async measure(stage) {
    const catalog = await stage.ownCatalog('tool-call')
    const service = await stage.serve(catalog)
    const { resource } = await readJson<{ resource: string }>(
      fetch(`${service.url}/.well-known/oauth-protected-resource/mcp`),
    )
    const { access_token: token } = await readJson<{ access_token: string }>(
      fetch(`${service.url}/oidc/token`, {
        method: 'POST',
        headers: { authorization: encodeCredentials(catalog.app) },
        body: new URLSearchParams(`${TOKEN_FORM}&resource=${encodeURIComponent(resource)}`),
      }),
    )
    const params = { name: 'get_entry', arguments: { kind: 'galgame', id: ID } }
    const message = { jsonrpc: '2.0', id: 1, method: 'tools/call', params }
    const call = () =>
      readJson<{ result: { structuredContent: { id: number } } }>(
        fetch(`${service.url}/mcp`, {
          method: 'POST',
          headers: {
            accept: 'application/json, text/event-stream',
            authorization: `Bearer ${token}`,
            'content-type': 'application/json',
          },
          body: JSON.stringify(message),
        }),
      )
    const { result } = await call()
    if (result.structuredContent.id !== ID) throw new Error('The tool returned another entry')
    const { headers } = service
    const request = () => readJson(fetch(service.detail(ID), { headers }))

    const calls: number[] = []
    const requests: number[] = []
    let endWatch = watchMachine()
    for (let round = 0; round <= stage.rounds; round += 1) {
      for (let pair = 0; pair < PAIRS_PER_ROUND; pair += 1) {
        requests.push(await timeOf(request))
        calls.push(await timeOf(call))
      }
      await stage.turns?.pass()
      if (round > 0) continue
      // The first round warms up both.
      calls.length = requests.length = 0
      endWatch = watchMachine()
    }
    await service.stop()
    const added = median(calls) - median(requests)
    return [
      {
        row: 'call of a tool above the request to the API',
        measured: `${added.toFixed(2)} ms p50`,
        floor: `${median(requests).toFixed(2)} ms p50`,
        target: `≤ ${MAX_ADDED_MS} ms`,
        met: added <= MAX_ADDED_MS,
        busy: endWatch(),
        series: [{ unit: 'ms', better: 'less', values: calls }],
      },
    ]
  },
}

async function timeOf(send: () => Promise<unknown>): Promise<number> {
  const began = performance.now()
  await send()
  return performance.now() - began
}

/** Reads a JSON response of the service. The response to a message may be a stream with one event. */
async function readJson<Body>(sent: Promise<Response>): Promise<Body> {
  const response = await sent
  const text = await response.text()
  if (!response.ok) throw new Error(`${response.status} ${text}`)
  const json = text.startsWith('event:') ? text.slice(text.indexOf('{')) : text
  // as: the documented response
  return JSON.parse(json) as Body
}
