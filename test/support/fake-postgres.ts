import { createServer, type Socket } from 'node:net'
import { listenLocally } from './free-port.ts'

/** Types of the columns that a fake server returns. */
const OIDS = { boolean: 16, string: 25 }

type Row = Record<string, boolean | string>

/**
 * Starts a server that speaks just enough of PostgreSQL's protocol to answer every simple query with one row.
 *
 * @param row returns the row for a query
 */
export async function startFakePostgres(row: () => Row | Promise<Row>) {
  const sockets = new Set<Socket>()
  const respond = async (socket: Socket) => socket.write(responseOf(await row()))
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => {})
    let isStarted = false
    socket.on('data', (packet) => {
      // Messages are short, and the client waits for each response.
      if (!isStarted) socket.write(Buffer.concat([message('R', int32(0)), READY]))
      else if (packet[0] === 'Q'.charCodeAt(0)) void respond(socket)
      isStarted = true
    })
  })
  return {
    host: `127.0.0.1:${await listenLocally(server)}`,
    close() {
      server.close()
      for (const socket of sockets) socket.destroy()
    },
  }
}

function message(type: string, ...parts: Buffer[]): Buffer {
  const body = Buffer.concat(parts)
  return Buffer.concat([Buffer.from(type), int32(body.length + 4), body])
}

function int32(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeInt32BE(value)
  return bytes
}

function int16(value: number): Buffer {
  const bytes = Buffer.alloc(2)
  bytes.writeInt16BE(value)
  return bytes
}

const READY = message('Z', Buffer.from('I'))

function responseOf(row: Row): Buffer {
  const columns = Object.entries(row)
  const fields = columns.map(([name, value]) =>
    Buffer.concat([
      Buffer.from(`${name}\0`),
      int32(0),
      int16(0),
      int32(typeof value === 'boolean' ? OIDS.boolean : OIDS.string),
      int16(-1),
      int32(-1),
      int16(0),
    ]),
  )
  const values = columns.map(([, value]) => {
    const text = Buffer.from(typeof value === 'boolean' ? (value ? 't' : 'f') : value)
    return Buffer.concat([int32(text.length), text])
  })
  return Buffer.concat([
    message('T', int16(columns.length), ...fields),
    message('D', int16(columns.length), ...values),
    message('C', Buffer.from('SELECT 1\0')),
    READY,
  ])
}
