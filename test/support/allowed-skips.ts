/** Names of tests with concurrent transactions, for which the embedded database has no second connection. */
export const SKIPPED_ON_EMBEDDED: Record<string, string[]> = {
  'src/backup/scheduled-backups.test.ts': [
    'are named by the clock of the database, because machines delete the oldest by name',
  ],
  'src/collections/order.test.ts': [
    'applies the later of two concurrent moves to the result of the earlier one',
  ],
  'src/site/following/following.test.ts': [
    'follows a limited number of profiles in concurrent requests',
  ],
  'src/site/two-tabs.test.ts': [
    'keeps a redirect URI that another tab registers while the console registers its own',
  ],
  'src/site/import/import.test.ts': [
    'plan two users’ lists at once without occupying connections that other requests need',
    'can be served by a different process in each step',
    'continue after a crash in any step, without duplicate or partial changes',
    'reject other changes to the list while an import is running',
  ],
  'src/db/upkeep/signals.test.ts': ['arrive again after a lost connection is replaced'],
  'src/identity/provider/device.test.ts': [
    'keeps a device waiting while consent is stored, and then issues its tokens',
  ],
  'src/identity/tokens/withdrawal.test.ts': [
    'is rejected by a process that starts after the revocation of its grant',
    'is rejected by other processes as soon as they are notified, long before they poll',
    'can be tested on two processes with one public URL, because each process logs its own URL',
  ],
  'src/curation/concurrent-requests.test.ts': [
    'a rating of a work that is being joined waits, succeeds and is stored',
  ],
  'src/curation/runs/runs.test.ts': [
    'are identified to an import that waits for them or is refused because of them',
  ],
  'src/ratings/lists/concurrent-import.test.ts': [
    'makes other writes by its user wait without occupying a connection',
    'waits without occupying a connection while two other dry runs are planned',
  ],
  'src/ratings/own/ratings.test.ts': [
    'cannot be written while another process locks its user: the request fails with 503 and Retry-After',
  ],
}

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
