/** Environment variables with a number that change the length of tests, and whether it may have a fraction. */
const NUMBERS = {
  FAILOVER_RUNS: 'integer',
  MOKUROKU_TEST_SEED: 'integer',
  REPLICA_WRITES: 'integer',
  RESTART_REQUESTS: 'integer',
  SERVICE_KILLS: 'integer',
  SOAK_MINUTES: 'number',
  TEST_FILE_MINUTES: 'number',
  UPGRADE_KILLS: 'integer',
} as const

type NumberVariable = keyof typeof NUMBERS

/**
 * Reads a positive number from an environment variable. Programs call `refuseBadNumbers` first, so that a typo is one
 * line instead of a stack trace.
 *
 * @returns undefined if the variable is unset or empty
 * @throws {Error} if it is not such a number
 */
export function numberVariable(
  name: NumberVariable,
  environment: NodeJS.ProcessEnv = process.env,
): number | undefined {
  const given = environment[name]
  if (given === undefined || given === '') return undefined
  const number = Number(given)
  const isValid =
    NUMBERS[name] === 'integer' ? Number.isSafeInteger(number) : Number.isFinite(number)
  if (!isValid || number <= 0)
    throw new Error(`${name} must be a positive ${NUMBERS[name]}, not "${given}".`)
  return number
}

/** Exits with 2 and one line per variable if environment variables are not the numbers that they must be. */
export function refuseBadNumbers() {
  // as: the keys of the table
  const faults = (Object.keys(NUMBERS) as NumberVariable[]).flatMap((name) => {
    try {
      numberVariable(name)
      return []
    } catch (error) {
      return error instanceof Error ? [error.message] : []
    }
  })
  if (faults.length === 0) return
  for (const fault of faults) console.error(fault)
  process.exit(2)
}
