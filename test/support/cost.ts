import assert from 'node:assert/strict'

/** Added to both measurements to hide clock noise. */
const NOISE_MICROSECONDS = 2_000
const ATTEMPTS = 5

/**
 * Asserts that `work` takes time in proportion to the size of its input: for twice the size at most three times the processor
 * time, the best of several attempts. Choose a size for which quadratic work takes tens of milliseconds.
 */
export async function assertLinear(
  work: (size: number) => unknown,
  size: number,
  name = 'the work',
): Promise<void> {
  await work(size)
  const [once, twice] = [await costOf(work, size), await costOf(work, 2 * size)]
  const ratio = (twice + NOISE_MICROSECONDS) / (once + NOISE_MICROSECONDS)
  assert.ok(ratio <= 3, `${name}: ${once} µs for ${size}, ${twice} µs for ${2 * size}`)
}

async function costOf(work: (size: number) => unknown, size: number): Promise<number> {
  let best = Infinity
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const began = process.cpuUsage()
    await work(size)
    const { user, system } = process.cpuUsage(began)
    best = Math.min(best, user + system)
  }
  return best
}
