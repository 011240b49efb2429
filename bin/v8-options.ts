/**
 * V8's options for a service (docs/performance.md, Memory). A young generation of 4 MiB a half: answers live for a
 * moment, and one of 16 MiB keeps 50 MiB resident for nothing. Collected by one thread, since more of them share so little
 * work, and the other cores are PostgreSQL's and other workers'.
 */
const SERVING = {
  '--max-semi-space-size': '--max-semi-space-size=4',
  '--parallel-scavenge': '--no-parallel-scavenge',
}

/**
 * Begins this process anew, with the same id, under V8's options for a service: they are taken only when it begins. An
 * option that the operator gave stays as it is. Where a process cannot be replaced (Windows, one that a parent talks to) it goes on.
 */
export function restartWithServingOptions(): void {
  const given = [...process.execArgv, process.env['NODE_OPTIONS'] ?? ''].join(' ').replaceAll('_', '-')
  const missing = Object.entries(SERVING)
    .filter(([name]) => !given.includes(name.slice(2)))
    .map(([, option]) => option)
  if (missing.length === 0 || process.connected || process.platform === 'win32') return
  process.execve?.(process.execPath, [
    process.execPath,
    ...process.execArgv,
    ...missing,
    ...process.argv.slice(1),
  ])
}
