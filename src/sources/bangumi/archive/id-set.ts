/** Ids up to here are kept as bits: the largest take 4 MB. */
const DENSE = 1 << 25

/** Positive numbers, a bit each as long as they are ids as the wiki counts them. */
export class IdSet {
  #bits = new Uint8Array(1024)
  readonly #large = new Set<number>()

  /** @returns whether it was not there */
  add(id: number): boolean {
    if (this.has(id)) return false
    if (id >= DENSE) {
      this.#large.add(id)
      return true
    }
    const index = id >> 3
    if (index >= this.#bits.length) {
      const larger = new Uint8Array(Math.max(index + 1, this.#bits.length * 2))
      larger.set(this.#bits)
      this.#bits = larger
    }
    this.#bits[index] = (this.#bits[index] ?? 0) | (1 << (id & 7))
    return true
  }

  has(id: number): boolean {
    return id >= DENSE ? this.#large.has(id) : ((this.#bits[id >> 3] ?? 0) & (1 << (id & 7))) !== 0
  }
}
