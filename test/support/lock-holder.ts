/** Takes the lock of the directory it is given, says so, and keeps it until it is killed. */
import { lockDirectory } from '../../src/db/directory-lock.ts'

lockDirectory(process.argv[2] ?? '')
process.stdout.write('locked\n')
setInterval(() => {}, 60_000)
