/** Returns the time in milliseconds by the monotonic clock, which all processes of this machine share. */
export const monotonicMs = () => Number(process.hrtime.bigint() / 1_000_000n)
