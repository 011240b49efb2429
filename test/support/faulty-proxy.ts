import { connect, createServer, type Socket } from 'node:net'
import { freePort } from './free-port.ts'

export type FaultyProxy = {
  url: string
  cut(): void
  /** Ends a cut or a freeze. Connections that were frozen break. */
  restore(): void
  /** Silently drops traffic on open connections. New ones work. */
  dropTraffic(): void
  /** Resets open connections. New ones work. */
  reset(): void
  /** Silently drops all traffic on open and new connections, like a frozen server. */
  freeze(): void
  /** Directs new connections to another server. */
  redirect(target: string): void
  close(): Promise<void>
}

/** A TCP proxy that fails like a network. While it is cut, new connections are refused and open ones break. */
export async function startFaultyProxy(target: string): Promise<FaultyProxy> {
  let upstreamUrl = new URL(target)
  const open = new Set<Socket>()
  let isConnected = true
  let frozen = false
  const server = createServer((socket) => {
    if (!isConnected) return void socket.destroy()
    if (frozen) {
      open.add(socket)
      return void socket.on('error', () => socket.destroy()).on('close', () => open.delete(socket))
    }
    const upstream = connect(Number(upstreamUrl.port), upstreamUrl.hostname)
    for (const end of [socket, upstream]) {
      open.add(end)
      end.on('error', () => end.destroy()).on('close', () => open.delete(end))
    }
    socket.pipe(upstream).pipe(socket)
    socket.on('close', () => upstream.destroy())
    upstream.on('close', () => socket.destroy())
  })
  const ownPort = await freePort()
  await new Promise<void>((resolve) => server.listen(ownPort, '127.0.0.1', resolve))
  const url = new URL(target)
  url.host = `127.0.0.1:${ownPort}`
  const swallow = () => {
    // Acknowledged and discarded, so that neither end notices.
    for (const socket of open) socket.unpipe().removeAllListeners('data').resume()
  }
  const breakAll = () => open.forEach((socket) => socket.destroy())
  return {
    url: url.href,
    cut() {
      isConnected = false
      breakAll()
    },
    restore() {
      isConnected = true
      if (!frozen) return
      frozen = false
      breakAll()
    },
    dropTraffic: swallow,
    freeze() {
      frozen = true
      swallow()
    },
    redirect: (other) => void (upstreamUrl = new URL(other)),
    reset: () => open.forEach((socket) => socket.resetAndDestroy()),
    close: () =>
      new Promise((resolve) => {
        breakAll()
        server.close(() => resolve())
      }),
  }
}
