import type { LeaseAnswer, LeaseRequest } from '../../http/admission/lease-messages.ts'
import { THROTTLE_SPACES, type ThrottleSpace } from '../../http/admission/throttle.ts'
import { WindowLeases } from '../../http/admission/window-leases.ts'

/** The windows of all workers: each space has its own. */
export class WindowSpaces {
  readonly #spaces: ReadonlyMap<ThrottleSpace, WindowLeases>

  constructor(send: (worker: number, space: ThrottleSpace, answer: LeaseAnswer) => void) {
    this.#spaces = new Map(
      THROTTLE_SPACES.map((space) => [
        space,
        new WindowLeases((worker, answer) => send(worker, space, answer)),
      ]),
    )
  }

  join(worker: number) {
    for (const leases of this.#spaces.values()) leases.join(worker)
  }

  receive(worker: number, space: ThrottleSpace, request: LeaseRequest) {
    this.#spaces.get(space)?.receive(worker, request)
  }

  forget(worker: number) {
    for (const leases of this.#spaces.values()) leases.forget(worker)
  }
}
