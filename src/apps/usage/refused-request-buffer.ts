import type { Static } from 'typebox'
import type { RefusedAppRequest } from '../schemas.ts'
import type { Coded } from '../../i18n/catalogue.ts'

/** Part of a reason: the requirement that a request failed, or what is wrong with one of its fields. */
export type CodedReason = Coded<string> & { readonly field?: string }

/** A rejected request from an app, as its developer can read it, without secrets (`describe-refusal.ts`). */
export type RefusedRequest = Omit<Static<typeof RefusedAppRequest>, 'at'> & {
  at: Date
  /** The rule that the request failed, as codes; null if only a library describes it. */
  coded_reason: CodedReason[] | null
}

/** Maximum number of requests per app between two writes. Excess ones come from an attack or a loop and add nothing. */
const MAX_OF_APP = 20
/** Maximum number of requests across all apps between two writes. */
const MAX_OF_ALL = 500

/**
 * Rejected requests that have not been written yet. Their number is limited, because anyone who knows a client id can
 * cause rejections.
 */
export class RefusedRequestBuffer {
  #byApp = new Map<string, RefusedRequest[]>()
  #size = 0

  /** @param describe called only if there is room, so that excess requests cost next to nothing */
  add(clientId: string, describe: () => RefusedRequest): void {
    if (this.#size >= MAX_OF_ALL) return
    const requests = this.#byApp.get(clientId)
    if (requests && requests.length >= MAX_OF_APP) return
    const described = describe()
    if (requests) requests.push(described)
    else this.#byApp.set(clientId, [described])
    this.#size += 1
  }

  /** Returns and removes the recorded requests. */
  drain(): { client_id: string; refused: RefusedRequest }[] {
    const drained = [...this.#byApp].flatMap(([client_id, requests]) =>
      requests.map((refused) => ({ client_id, refused })),
    )
    this.#byApp = new Map()
    this.#size = 0
    return drained
  }
}
