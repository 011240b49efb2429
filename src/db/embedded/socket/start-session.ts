import type { Socket } from 'node:net'
import { ConnectionEndedError, type MessageReader } from './message-reader.ts'
import {
  authenticationOk,
  backendKeyData,
  negotiateVersion,
  parameterStatus,
  readyForQuery,
  stringsOf,
} from './messages.ts'

/** Codes in place of a protocol version. */
const CANCEL_REQUEST = 80_877_102
const ENCRYPTION_REQUESTS = new Set([80_877_103, 80_877_104])

/** Returns whether the client has a session now. */
export async function startSession(
  socket: Socket,
  reader: MessageReader,
  parameters: ReadonlyMap<string, string>,
  id: number,
): Promise<boolean> {
  for (;;) {
    const packet = await reader.startupPacket()
    if (!packet) return false
    const code = packet.readInt32BE(0)
    if (code === CANCEL_REQUEST) return false
    if (!ENCRYPTION_REQUESTS.has(code)) {
      socket.write(greet(code, packet.subarray(4), parameters, id))
      return true
    }
    socket.write('N')
  }
}

/** Returns the messages that begin a session. */
function greet(
  version: number,
  content: Buffer,
  parameters: ReadonlyMap<string, string>,
  id: number,
): Buffer {
  if (version >> 16 !== 3)
    throw new ConnectionEndedError('0A000', 'Only version 3 of the protocol is supported')
  const strings = stringsOf(content)
  const options = new Map<string, string>()
  for (let index = 0; index + 1 < strings.length; index += 2)
    options.set(strings[index] ?? '', strings[index + 1] ?? '')
  const user = options.get('user')
  if (user !== 'postgres')
    throw new ConnectionEndedError('28000', `Role "${user ?? ''}" does not exist; use "postgres"`)
  const database = options.get('database') ?? user
  if (database !== 'postgres')
    throw new ConnectionEndedError('3D000', `Database "${database}" does not exist; use "postgres"`)
  const unknown = [...options.keys()].filter((name) => name.startsWith('_pq_.'))
  const isLater = (version & 0xffff) > 0 || unknown.length > 0
  return Buffer.concat([
    ...(isLater ? [negotiateVersion(unknown)] : []),
    authenticationOk(),
    ...[...parameters].map(([name, value]) => parameterStatus(name, value)),
    backendKeyData(id, 0),
    readyForQuery(),
  ])
}
