/** Takes the lock of the directory it is given, says so, and keeps it until it is killed. */
import { lockDirectory } from '../../src/db/embedded/directory-lock.ts'

const lock = await lockDirectory(process.argv[2] ?? '')
process.stdout.write('locked\n')
// What nobody refers to is collected, and the lock with it.
setInterval(() => lock, 60_000)
