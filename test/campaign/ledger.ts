import { appendFileSync } from 'node:fs'

/** Kinds of writes, in the order of the report. */
export const WRITE_KINDS = [
  'rating',
  'score',
  'collection',
  'item',
  'vote',
  'app',
  'secret',
  'refresh',
  'flow',
  'entry',
] as const
export type WriteKind = (typeof WRITE_KINDS)[number]

/** A stored value as text; null if the row is absent. */
export type Value = string | null
/** Value of a write whose result only the unread response contains. */
export const UNKNOWN = '?'

export type Outcome = 'acknowledged' | 'refused' | 'unanswered'
export type Tally = Record<Outcome, number>

/** A write that has been sent. */
export type SentWrite = { number: number; kind: WriteKind; key: string; value: Value }

export type RecentWrite = { write: SentWrite; isAcknowledged: boolean }

/**
 * Everything that was sent and acknowledged, on disk and as the values that the database may contain.
 *
 * Each key has one writer, which sends one write at a time. After an acknowledged write only its value is possible. A
 * write without an acknowledgment may have been stored or not, and may even be stored later: both values stay possible
 * until a check settles them.
 */
export class Ledger {
  readonly tallies = new Map<WriteKind, Tally>(
    WRITE_KINDS.map((kind) => [kind, { acknowledged: 0, refused: 0, unanswered: 0 }]),
  )
  readonly violations: string[] = []
  readonly #file: string
  readonly #possible = new Map<string, Set<Value>>()
  /** Keys whose last writes are not settled. */
  readonly #unsettled = new Set<string>()
  #numbers = 0
  /** Writes since the last check, by number: whether each was acknowledged. */
  #recent = new Map<number, RecentWrite>()

  constructor(file: string) {
    this.#file = file
  }

  #note(line: object) {
    appendFileSync(this.#file, `${JSON.stringify(line)}\n`)
  }

  /**
   * Records a write before it is sent.
   *
   * @param keyOf key, or a function that receives the number of the write
   * @param valueOf receives the number of the write, which makes the value unique
   */
  send(
    kind: WriteKind,
    keyOf: string | ((number: number) => string),
    valueOf: (number: number) => Value,
  ): SentWrite {
    const number = (this.#numbers += 1)
    const key = typeof keyOf === 'string' ? keyOf : keyOf(number)
    const write = { number, kind, key, value: valueOf(number) }
    this.#note({ sent: write })
    this.#recent.set(number, { write, isAcknowledged: false })
    return write
  }

  /** @param stored value that the response states, if it differs from the value sent */
  record(write: SentWrite, outcome: Outcome, stored = write.value) {
    this.#note({ number: write.number, outcome })
    const tally = this.tallies.get(write.kind)
    if (tally) tally[outcome] += 1
    const possible = this.#possible.get(write.key) ?? new Set([null])
    if (outcome === 'acknowledged') {
      this.#recent.set(write.number, { write, isAcknowledged: true })
      if (!this.#unsettled.has(write.key)) possible.clear()
    } else this.#unsettled.add(write.key)
    this.#possible.set(write.key, possible.add(stored))
  }

  /** Records the value of a key that nothing has written yet. Other keys have no row. */
  begin(key: string, value: string) {
    this.#possible.set(key, new Set([value]))
  }

  isSettled = (key: string) => !this.#unsettled.has(key)

  /** Returns the only possible value of a key, or null. */
  valueOf(key: string): Value {
    const [value = null, ...others] = this.#possible.get(key) ?? []
    return others.length === 0 ? value : null
  }

  /** Stops checking keys that a write to another key removes. */
  forget(isRemoved: (key: string) => boolean) {
    for (const key of this.#possible.keys())
      if (isRemoved(key)) {
        this.#possible.delete(key)
        this.#unsettled.delete(key)
      }
  }

  /**
   * Compares every key with the database, and settles it.
   *
   * @param stored values by key; an absent key has no row
   */
  settle(stored: ReadonlyMap<string, Value>) {
    for (const [key, possible] of this.#possible) {
      const value = stored.get(key) ?? null
      if (!possible.has(value) && !(possible.has(UNKNOWN) && value !== null))
        this.fail(`${key} has ${value}, expected ${[...possible].join(' or ')}`)
      this.#possible.set(key, new Set([value]))
    }
    this.#unsettled.clear()
  }

  /** Returns the outcomes of all writes. */
  total(): Tally {
    const total = { acknowledged: 0, refused: 0, unanswered: 0 }
    for (const tally of this.tallies.values())
      for (const outcome of ['acknowledged', 'refused', 'unanswered'] as const)
        total[outcome] += tally[outcome]
    return total
  }

  /** Returns the writes since the last call. */
  takeRecent(): RecentWrite[] {
    const recent = [...this.#recent.values()]
    this.#recent = new Map()
    return recent
  }

  fail(violation: string) {
    this.#note({ violation })
    this.violations.push(violation)
  }
}
