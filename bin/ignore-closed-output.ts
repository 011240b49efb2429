/**
 * Ignores writes to a closed pipe. A command finishes its work (`| head` does not interrupt an import), and its exit
 * status reports the result. A service continues without its log.
 */
export function ignoreClosedOutput() {
  for (const stream of [process.stdout, process.stderr])
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE') throw error
    })
}
