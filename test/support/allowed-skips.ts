/** Names of tests with concurrent transactions, for which the embedded database has no second connection. */
export const SKIPPED_ON_EMBEDDED: Record<string, string[]> = {
  'src/collections/order.test.ts': [
    'applies the later of two concurrent moves to the result of the earlier one',
  ],
  'src/site/two-tabs.test.ts': [
    'keeps a redirect URI that another tab registers while the console registers its own',
  ],
  'src/site/import/import.test.ts': [
    'plan two users’ lists at once without occupying connections that other requests need',
    'can continue in a different process',
    'continue after a crash in each step, without duplicate or partial changes',
    'reject other changes to the list while an import is running',
  ],
  'src/db/upkeep/signals.test.ts': ['arrive again after a lost connection is replaced'],
  'src/identity/provider/device.test.ts': [
    'keeps a device waiting while consent is stored, and then issues its tokens',
  ],
  'src/identity/tokens/withdrawal.test.ts': [
    'is rejected by a process that starts after the revocation of its grant',
    'is rejected by other processes on notification, far sooner than by polling',
    'is rejected by every process behind a shared address, because each announces its own port',
  ],
  'src/curation/concurrent-requests.test.ts': [
    'a rating of a work that is being joined waits, succeeds and is stored',
  ],
  'src/curation/runs/runs.test.ts': [
    'are identified to an import that waits for them or is refused because of them',
  ],
  'src/ratings/lists/concurrent-import.test.ts': [
    'makes other writes by its user wait without occupying a connection',
    'plans two dry runs at once, and makes others wait without occupying a connection',
  ],
  'src/ratings/own/ratings.test.ts': [
    'cannot be written while another process holds the lock on its user, and fails with 503 and Retry-After',
  ],
}

/**
 * Names of tests of a full disk, skipped where a small file system cannot be mounted. Other tests check the rule itself
 * everywhere.
 */
export const SKIPPED_WITHOUT_MOUNT: Record<string, string[]> = {
  'src/backup/restore.test.ts': ['fails with a one-line error and leaves no file'],
  'src/db/embedded/free-space.test.ts': [
    'makes the service return 503 for writes until there is free space, and blocks neither the service nor its shutdown',
    'does not prevent a program from stopping at SIGTERM, and starting again once there is free space',
  ],
}
