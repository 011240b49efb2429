/** Locks the given directory, prints a line, and holds the lock until the process is killed. */
import { lockDirectory } from '../../src/db/embedded/directory-lock.ts'

const lock = await lockDirectory(process.argv[2] ?? '')
process.stdout.write('locked\n')
// The reference prevents the lock from being garbage-collected.
setInterval(() => lock, 60_000)
