/**
 * Names of tests that need a mounted file system (a full disk) or a separate network, skipped where the user may create
 * neither. Other tests check the rules themselves everywhere.
 */
export const SKIPPED_WITHOUT_ROOT: Record<string, string[]> = {
  'src/backup/restore.test.ts': ['fails with a one-line error and leaves no file'],
  'src/db/embedded/free-space.test.ts': [
    'makes the service return 503 for writes until there is free space, and blocks neither the service nor its shutdown',
    'does not prevent a program from stopping at SIGTERM, and starting again once there is free space',
  ],
  'test/health.test.ts': ['closes connections to a public address without a response'],
}

/**
 * Names of tests that need a program from a newer Debian release. They are skipped if its mirror cannot be reached.
 */
export const SKIPPED_WITHOUT_NEWER_DEBIAN: Record<string, string[]> = {
  'test/poolers.test.ts': ['behind PgBouncer with prepared statements'],
}
