import { Provider } from '../oidc-provider.ts'

/** Key of the start time in the library's request context. */
const ARRIVED_AT = Symbol('arrived at')

type Context = { [ARRIVED_AT]?: number }

export function recordArrival(context: object) {
  // as: the library's context accepts any field
  ;(context as Context)[ARRIVED_AT] = performance.now()
}

/** Seconds since the provider started to process the current request; 0 outside of a request. */
export function secondsSinceArrival(): number {
  // as: see above
  const arrivedAt = (Provider.ctx as Context | undefined)?.[ARRIVED_AT]
  return arrivedAt === undefined ? 0 : (performance.now() - arrivedAt) / 1_000
}

/** Returns whether the client has closed the connection of the current request. */
export function isClientGone(): boolean {
  const socket = Provider.ctx?.req.socket
  return socket !== undefined && (socket.destroyed || socket.readableEnded)
}
