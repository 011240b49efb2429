import type { Coded } from '../../i18n/catalogue.ts'

/** Part of a reason: the requirement that a request failed, or what is wrong with one of its fields. */
export type CodedReason = Coded<string> & { readonly field?: string }

/** A request of an app that was refused, as its developer may read it: nothing in it is a secret (`describe-refusal.ts`). */
export type RefusedRequest = {
  at: Date
  request_id: string
  /** Method and template: `POST /oidc/token`. */
  endpoint: string
  status: number
  /** The code the app was told. */
  code: string
  /** The rule that refused it, in English. */
  reason: string
  /** The rule as codes; null if only a library describes it. */
  coded_reason: CodedReason[] | null
  sent: Record<string, string>
  /** Shortened to a network. */
  address: string | null
}

/** Of one app between two writes; more are an attack or a loop, and say nothing new. */
const MAX_OF_APP = 20
/** Of all apps between two writes. */
const MAX_OF_ALL = 500

/** Refused requests that are still to be written. Bounded: whoever knows a client id can have requests refused. */
export class RefusedRequestBuffer {
  #byApp = new Map<string, RefusedRequest[]>()
  #size = 0

  /** @param describe is called only where there is room: what is dropped costs next to nothing */
  note(clientId: string, describe: () => RefusedRequest): void {
    if (this.#size >= MAX_OF_ALL) return
    const noted = this.#byApp.get(clientId)
    if (noted && noted.length >= MAX_OF_APP) return
    const described = describe()
    if (noted) noted.push(described)
    else this.#byApp.set(clientId, [described])
    this.#size += 1
  }

  /** What was noted since the last call. */
  take(): { client_id: string; refused: RefusedRequest }[] {
    const taken = [...this.#byApp].flatMap(([client_id, noted]) =>
      noted.map((refused) => ({ client_id, refused })),
    )
    this.#byApp = new Map()
    this.#size = 0
    return taken
  }
}
