import { Provider } from './oidc-provider.ts'

/** Field of the library's context of a request. */
const ARRIVED_AT = Symbol('arrived at')

type Context = { [ARRIVED_AT]?: number }

/** Notes the moment the provider takes up a request. */
export function noteArrival(context: object) {
  // as: the library's context takes any field
  ;(context as Context)[ARRIVED_AT] = performance.now()
}

/** Seconds since the provider took up the current request; 0 outside of one. */
export function secondsSinceArrival(): number {
  // as: see above
  const arrivedAt = (Provider.ctx as Context | undefined)?.[ARRIVED_AT]
  return arrivedAt === undefined ? 0 : (performance.now() - arrivedAt) / 1_000
}
