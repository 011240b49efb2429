import { once } from 'node:events'
import { rmSync } from 'node:fs'
import { createServer, type Server, type Socket } from 'node:net'
import { addAbortSignal } from 'node:stream'
import { ConnectionEndedError } from './message-reader.ts'
import { reportMessage } from './messages.ts'
import { isUsablePath, socketPathOf } from './path.ts'
import { MAX_STARTUP_MS, Session, type SessionOptions, type SharedEngine } from './session.ts'

/** Maximum number of clients: PostgreSQL's default. */
const MAX_CLIENTS = 100
/** Maximum time, in milliseconds, that a client may hold the connection without sending a message. */
const MAX_IDLE_MS = 60_000

export type ListenOptions = Partial<SessionOptions> & { maxClients?: number }

/** Stops listening, ends all clients, and resolves once they have released everything. */
export type SocketListener = { stop(): Promise<void> }

/**
 * Listens for clients of the embedded database on a socket that only the owner of the data directory can use. If that
 * is impossible, logs a warning, because commands then only work while the service is stopped.
 */
export async function listenOnSocket(
  engine: SharedEngine,
  { maxClients = MAX_CLIENTS, maxIdleMs = MAX_IDLE_MS, log }: ListenOptions,
): Promise<SocketListener> {
  const sessions = new Map<Session, Promise<void>>()
  const stopping = new AbortController()
  let count = 0

  const server = createServer((socket) => {
    if (sessions.size >= maxClients) return refuse(socket, stopping.signal)
    const session = new Session(socket, engine, { id: (count += 1), maxIdleMs, log })
    const running = session.run().finally(() => sessions.delete(session))
    sessions.set(session, running)
  })
  const path = socketPathOf(engine.directory)
  try {
    await listen(server, path)
  } catch (err) {
    log?.warn({ err, path }, 'Cannot listen for commands: they need the service to be stopped')
  }
  return {
    async stop() {
      stopping.abort()
      const closed = new Promise((resolve) => server.close(resolve))
      for (const session of sessions.keys())
        session.end(new ConnectionEndedError('57P01', 'The service is stopping'))
      await Promise.all(sessions.values())
      await closed
    },
  }
}

/** @throws {Error} if the path is too long, or the file system has no sockets */
async function listen(server: Server, path: string) {
  if (!isUsablePath(path)) throw new Error('The path is too long for a socket')
  // The caller holds the directory lock, so the file was left behind by a process that was killed.
  if (process.platform !== 'win32') rmSync(path, { force: true })
  // The file is created within `listen`, and must never be open to others.
  const mask = process.umask(0o177)
  try {
    server.listen(path)
  } finally {
    process.umask(mask)
  }
  await once(server, 'listening')
}

/**
 * Rejects a client once it has sent its first message. If the socket were closed earlier, the client could fail to send
 * the message, and would not read the reason.
 */
function refuse(socket: Socket, stopping: AbortSignal) {
  addAbortSignal(AbortSignal.any([stopping, AbortSignal.timeout(MAX_STARTUP_MS)]), socket)
  socket.on('error', () => {})
  socket.once('data', () => {
    socket.write(reportMessage('FATAL', '53300', 'Too many clients of the embedded database'))
    socket.destroySoon()
  })
}
