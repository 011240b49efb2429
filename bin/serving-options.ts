/** Node options for a service, unless the operator set them. */
const NODE = {
  // By default, SIGUSR1 opens a debugger that every user of this machine can use.
  'disable-sigusr1': '--disable-sigusr1',
}

/**
 * V8 options for a service and other long commands, whose objects are short-lived (docs/performance.md, Memory). The
 * young generation has semi-spaces of 8 MiB: responses are short-lived, and 16 MiB would keep 50 MiB resident for no
 * benefit. One thread collects it, because parallel threads gain little on a heap this small. The old generation is
 * collected after it has grown by 60 %, instead of V8's 200 % or more. At 30 %, token requests, whose objects outlive
 * the young generation, would cost 25 % more CPU time.
 */
export const V8 = {
  'max-semi-space-size': '--max-semi-space-size=8',
  'parallel-scavenge': '--no-parallel-scavenge',
  'heap-growing-percent': '--heap-growing-percent=60',
}

/**
 * An import creates far more garbage than a service, and its process exits afterwards. Semi-spaces of 32 MiB save up to a tenth of its
 * processor time and take about 45 MiB.
 */
const V8_OF_IMPORTS = { ...V8, 'max-semi-space-size': '--max-semi-space-size=32' }
const IMPORTS = new Set(['import', 'update'])

/**
 * Settings for glibc's malloc. Large blocks return to the system when they are freed. By default, glibc would raise
 * its threshold after the first password hash (19 MiB), and retain that much for each of four threads. All threads
 * share two arenas instead of up to eight per core, so that they reuse each other's memory. Large blocks use huge pages
 * where the kernel allows it: without them, the page faults of a password hash take a fifth of its processor time.
 */
export const MALLOC = {
  MALLOC_ARENA_MAX: '2',
  MALLOC_MMAP_THRESHOLD_: '1048576',
  MALLOC_TRIM_THRESHOLD_: '1048576',
  GLIBC_TUNABLES: 'glibc.malloc.hugetlb=1',
}

/**
 * Restarts this process in place, under the same PID, with the options of a long command, because Node, V8 and malloc read
 * them only at startup. Options set by the operator take precedence. A process that cannot be replaced continues as it
 * is: on Windows, or with an IPC channel to a parent.
 */
export function restartWithServingOptions(command: string): void {
  const given = [...process.execArgv, process.env['NODE_OPTIONS'] ?? '']
    .join(' ')
    .replaceAll('_', '-')
  const missing = Object.entries({ ...(IMPORTS.has(command) ? V8_OF_IMPORTS : V8), ...NODE })
    .filter(([name]) => !given.includes(name))
    .map(([, option]) => option)
  if (missing.length === 0 || process.connected || process.platform === 'win32') return
  process.execve?.(
    process.execPath,
    [process.execPath, ...process.execArgv, ...missing, ...process.argv.slice(1)],
    { ...MALLOC, ...process.env },
  )
}
