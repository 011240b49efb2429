/** Options under which a service runs unless the operator gave others. */
const NODE = {
  // By default, SIGUSR1 opens a debugger to every user of this machine.
  'disable-sigusr1': '--disable-sigusr1',
}

/**
 * V8's options for a service, and for an import, whose records live as short (docs/performance.md, Memory). A young generation of 8 MiB a half, since answers live for a
 * moment and one of 16 MiB keeps 50 MiB resident for nothing; collected by one thread, as more of them share so little
 * work. The old one is collected when it has grown by six tenths, where V8 would wait for two or three times as much: with three
 * tenths a token, whose objects outlive the young one, costs a quarter more processor time.
 */
const V8 = {
  'max-semi-space-size': '--max-semi-space-size=8',
  'parallel-scavenge': '--no-parallel-scavenge',
  'heap-growing-percent': '--heap-growing-percent=60',
}

/**
 * Settings of glibc's malloc: what is large goes back to the system when it is freed. By itself glibc learns from the 19 MiB
 * of the first password to keep as much for each of four threads. And two heaps for all threads, where it would make up to
 * eight a core: what one has freed the next one takes.
 */
const MALLOC = {
  MALLOC_ARENA_MAX: '2',
  MALLOC_MMAP_THRESHOLD_: '1048576',
  MALLOC_TRIM_THRESHOLD_: '1048576',
}

/**
 * Begins this process anew, with the same id, with the options of a service: Node, V8 and malloc read them only when a process
 * begins. What the operator set stays. Where a process cannot be replaced (Windows, one that a parent talks to) it goes on.
 */
export function restartWithServingOptions(): void {
  const given = [...process.execArgv, process.env['NODE_OPTIONS'] ?? '']
    .join(' ')
    .replaceAll('_', '-')
  const missing = Object.entries({ ...V8, ...NODE })
    .filter(([name]) => !given.includes(name))
    .map(([, option]) => option)
  if (missing.length === 0 || process.connected || process.platform === 'win32') return
  process.execve?.(
    process.execPath,
    [process.execPath, ...process.execArgv, ...missing, ...process.argv.slice(1)],
    { ...MALLOC, ...process.env },
  )
}
