/** Ids up to here are kept as bits: the largest take 4 MB. */
const DENSE = 1 << 25

/** Positive numbers, a bit each as long as they are ids as the wiki counts them. */
export class IdSet {
  #bits = new Uint8Array(1024)
  readonly #large = new Set<number>()

  /** @returns whether it was not there */
  add(id: number): boolean {
    if (id >= DENSE) return this.#large.size < this.#large.add(id).size
    const index = id >> 3
    if (index >= this.#bits.length) {
      const larger = new Uint8Array(Math.max(index + 1, this.#bits.length * 2))
      larger.set(this.#bits)
      this.#bits = larger
    }
    const byte = this.#bits[index] ?? 0
    const bit = 1 << (id & 7)
    this.#bits[index] = byte | bit
    return (byte & bit) === 0
  }
}
