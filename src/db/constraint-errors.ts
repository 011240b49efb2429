/** What PostgreSQL says is wrong, read by code and name: the two engines throw different classes. */
type DatabaseError = { code: string; constraint?: string | undefined }

function asDatabaseError(error: unknown): DatabaseError | undefined {
  if (!(error instanceof Error) || !('code' in error) || typeof error.code !== 'string')
    return undefined
  const constraint =
    'constraint' in error && typeof error.constraint === 'string' ? error.constraint : undefined
  return { code: error.code, constraint }
}

/** Whether a statement was refused by the unique constraint or index of that name. */
export function isUniqueViolation(error: unknown, constraint: string) {
  const found = asDatabaseError(error)
  return found?.code === '23505' && found.constraint === constraint
}

/** Whether a statement was refused by the check constraint of that name. */
export function isCheckViolation(error: unknown, constraint: string) {
  const found = asDatabaseError(error)
  return found?.code === '23514' && found.constraint === constraint
}

/** Whether a statement gave up waiting for a lock. */
export const isLockTimeout = (error: unknown) => asDatabaseError(error)?.code === '55P03'

/** Whether a statement was cancelled because of a deadlock. */
export const isDeadlock = (error: unknown) => asDatabaseError(error)?.code === '40P01'

/** Whether a statement was refused because what its row belongs to is not there (any more). */
export const isForeignKeyViolation = (error: unknown) => asDatabaseError(error)?.code === '23503'
