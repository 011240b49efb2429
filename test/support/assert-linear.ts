import assert from 'node:assert/strict'

/** Added to both measurements to hide clock noise. */
const NOISE_MICROSECONDS = 2_000
const MIN_ATTEMPTS = 5
/**
 * Time, in milliseconds, after which the attempts stop and the work counts as slow. A busy machine may be slow for
 * seconds.
 */
const MAX_MEASURING_MS = 15_000

/**
 * Asserts that the cost of `work` grows linearly: twice the input may take at most three times the processor time.
 * Several attempts alternate between the two sizes, and the best of each counts. Choose a size for which quadratic work
 * takes tens of milliseconds.
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
