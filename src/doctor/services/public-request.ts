import type { IncomingHttpHeaders, IncomingMessage, OutgoingHttpHeaders } from 'node:http'
import { TLSSocket } from 'node:tls'
import { requestOutbound } from '../../outbound/request-outbound.ts'

/** Time, in milliseconds, for one request to a public URL. */
const TIMEOUT_MS = 4_000

/** Maximum length, in bytes, of a response. The rest of a longer one is ignored. */
const MAX_RESPONSE_BYTES = 1_000_000

export type PublicResponse = {
  status: number
  headers: IncomingHttpHeaders
  body: string
  /** Undefined without TLS. */
  certificate: Certificate | undefined
}

type Certificate = {
  validTo: Date
  /** Why clients reject it; undefined if they accept it. */
  fault: string | undefined
}

/**
 * Sends a request to a public URL on a separate connection. Follows no redirect, and accepts invalid certificates,
 * which are part of the result.
 */
export async function requestPublic(
  url: URL,
  { body, headers }: { body?: Uint8Array; headers?: OutgoingHttpHeaders } = {},
): Promise<PublicResponse> {
  const response = await requestOutbound(url, {
    method: body === undefined ? 'GET' : 'POST',
    signal: AbortSignal.timeout(TIMEOUT_MS),
    rejectUnauthorized: false,
    headers: { ...headers, accept: 'application/json', connection: 'close' },
    chosenBy: 'operator',
    ...(body !== undefined && { body }),
  })
  const { socket, statusCode: status = 0 } = response
  const certificate = socket instanceof TLSSocket ? certificateOf(socket) : undefined
  try {
    return { status, headers: response.headers, body: await readStart(response), certificate }
  } finally {
    socket.destroy()
  }
}

function certificateOf(socket: TLSSocket): Certificate {
  const validTo = new Date(socket.getPeerCertificate().valid_to)
  return { validTo, fault: socket.authorized ? undefined : String(socket.authorizationError) }
}

async function readStart(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of response) {
    // as: the response has no encoding, so its chunks are buffers
    chunks.push(chunk as Buffer)
    length += (chunk as Buffer).length
    if (length > MAX_RESPONSE_BYTES) break
  }
  return Buffer.concat(chunks).toString()
}
