/** Largest id that is stored as a bit. The bits take up to 4 MB. */
const MAX_DENSE_ID = 1 << 25

/** Set of positive ids. Ids in the wiki's usual range take one bit each. */
export class IdSet {
  #bits = new Uint8Array(1024)
  readonly #large = new Set<number>()

  /** @returns false if the set already contained the id */
  add(id: number): boolean {
    if (this.has(id)) return false
    if (id >= MAX_DENSE_ID) {
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
    return id >= MAX_DENSE_ID
      ? this.#large.has(id)
      : ((this.#bits[id >> 3] ?? 0) & (1 << (id & 7))) !== 0
  }
}
