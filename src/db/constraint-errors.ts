/** A PostgreSQL error, recognized by its code and constraint because the two engines throw different classes. */
type DatabaseError = { code: string; constraint?: string | undefined }

function asDatabaseError(error: unknown): DatabaseError | undefined {
  if (!(error instanceof Error) || !('code' in error) || typeof error.code !== 'string')
    return undefined
  const constraint =
    'constraint' in error && typeof error.constraint === 'string' ? error.constraint : undefined
  return { code: error.code, constraint }
}

/** Whether a statement violated the unique constraint or index of that name. */
export function isUniqueViolation(error: unknown, constraint: string) {
  const found = asDatabaseError(error)
  return found?.code === '23505' && found.constraint === constraint
}

/** Whether a statement violated the check constraint of that name. */
export function isCheckViolation(error: unknown, constraint: string) {
  const found = asDatabaseError(error)
  return found?.code === '23514' && found.constraint === constraint
}

/** Whether a statement timed out waiting for a lock. */
export const isLockTimeout = (error: unknown) => asDatabaseError(error)?.code === '55P03'

/** Whether a statement was cancelled because of a deadlock. */
export const isDeadlock = (error: unknown) => asDatabaseError(error)?.code === '40P01'

/** Whether a statement failed because a referenced row does not exist. */
export const isForeignKeyViolation = (error: unknown) => asDatabaseError(error)?.code === '23503'

/**
 * Whether the server has reported that a statement failed, so that nothing of it is committed. After a lost connection
 * (classes 08 and 57P), that is not known.
 */
export function isRolledBack(error: unknown): boolean {
  // The codes of system errors begin with an E.
  return /^(?!08|57P|E)[\dA-Z]{5}$/.test(asDatabaseError(error)?.code ?? '')
}
