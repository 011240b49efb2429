/**
 * What is written to a pipe that nobody reads any more is dropped: a command finishes its work (an import is not cut off by
 * `| head`), its exit status tells how it went, and a service goes on without its log.
 */
export function ignoreClosedOutput() {
  for (const stream of [process.stdout, process.stderr])
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE') throw error
    })
}
