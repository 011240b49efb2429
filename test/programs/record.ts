import { request } from 'node:http'
import type { Decoder } from './decoders.ts'

export type RecordedResponse = { status: number; headers: Record<string, string>; body: unknown }

/**
 * Replays a recorded request with its first line, headers, an empty line and its body, unchanged. `{token}` stands for
 * the program's token.
 */
export function replay(origin: string, recording: string, token = ''): Promise<RecordedResponse> {
  const [head = '', ...rest] = recording.trim().split('\n\n')
  const body = rest.join('\n\n')
  const [requestLine = '', ...lines] = head.split('\n').map((line) => line.trim())
  const [method = '', path = ''] = requestLine.split(' ')
  const headers = Object.fromEntries(
    lines.map((line) => {
      const [, name = '', value = ''] = /^([^:]+): *(.*)$/.exec(line) ?? []
      return [name, value.replace('{token}', token)]
    }),
  )
  return new Promise((resolve, reject) => {
    const sent = request(
      new URL(path, origin),
      { method, headers: { ...headers, 'content-length': Buffer.byteLength(body) } },
      (response) => {
        let received = ''
        response.setEncoding('utf8').on('data', (chunk: string) => (received += chunk))
        response.on('end', () =>
          resolve({
            status: response.statusCode ?? 0,
            headers: Object.fromEntries(
              Object.entries(response.headers).map(([name, value]) => [name, String(value)]),
            ),
            body: received === '' ? undefined : JSON.parse(received),
          }),
        )
      },
    )
    sent.once('error', reject).end(body)
  })
}

/** Decodes a response as the program does. Throws if the status differs from the expected one. */
export function decode<Value>(
  decoder: Decoder<Value>,
  { status, body }: RecordedResponse,
  expected = 200,
): Value {
  if (status !== expected)
    throw new Error(`${status} instead of ${expected}: ${JSON.stringify(body)}`)
  return decoder(body, '')
}
