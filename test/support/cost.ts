import assert from 'node:assert/strict'

/** Added to both measurements to hide clock noise. */
const NOISE_MICROSECONDS = 2_000
const MIN_ATTEMPTS = 5
/** Time, in milliseconds, for which attempts go on before the work counts as slow: a busy machine is slow for seconds. */
const MAX_MEASURING_MS = 15_000

/**
 * Asserts that `work` takes time in proportion to the size of its input: for twice the size at most three times the processor
 * time, the best of several attempts by turns. Choose a size for which quadratic work takes tens of milliseconds.
 */
export async function assertLinear(
  work: (size: number) => unknown,
  size: number,
  name = 'the work',
): Promise<void> {
  await work(size)
  let [once, twice] = [Infinity, Infinity]
  const ratio = () => (twice + NOISE_MICROSECONDS) / (once + NOISE_MICROSECONDS)
  const latest = performance.now() + MAX_MEASURING_MS
  for (
    let attempt = 0;
    attempt < MIN_ATTEMPTS || (ratio() > 3 && performance.now() < latest);
    attempt += 1
  ) {
    once = Math.min(once, await costOf(work, size))
    twice = Math.min(twice, await costOf(work, 2 * size))
  }
  assert.ok(ratio() <= 3, `${name}: ${once} µs for ${size}, ${twice} µs for ${2 * size}`)
}

async function costOf(work: (size: number) => unknown, size: number): Promise<number> {
  const began = process.cpuUsage()
  await work(size)
  const { user, system } = process.cpuUsage(began)
  return user + system
}
