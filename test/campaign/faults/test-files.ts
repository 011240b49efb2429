import { spawn } from 'node:child_process'
import { once } from 'node:events'
import type { FaultResult } from '../report.ts'

/** Faults that need their own servers, and the test files that cause them. */
export const FAULTS_IN_TESTS: Record<string, string> = {
  'primary killed or frozen, standby promoted': 'test/failover.test.ts',
  'replica paused, lagging, frozen, crashed, cut off, promoted, killed': 'test/replicas.test.ts',
  'rolling restart behind HAProxy and nginx': 'test/rolling-restart.test.ts',
  'one of two services behind HAProxy killed': 'test/killed-service.test.ts',
  'disk of the embedded database full': 'src/db/embedded/free-space.test.ts',
  'embedded database damaged or lost': 'src/db/embedded/damaged-cluster.test.ts',
  'two processes with one embedded database': 'src/db/embedded/directory-lock.test.ts',
  'folder of a running embedded database copied': 'src/db/embedded/copied-cluster.test.ts',
  'lock of the embedded database lost': 'src/db/embedded/lock-guard.test.ts',
  'kills during the first start, also of one of two simultaneous starts':
    'test/interrupted-start.test.ts',
  'kills during an upgrade': 'test/releases/killed-upgrade.test.ts',
  'kills during an import': 'src/curation/interrupted-import.test.ts',
  'kills during a backup or a restore': 'src/backup/killed.test.ts',
  'pg_dump of a running service, recovery to a point in time': 'test/manual.test.ts',
}

/** Runs a test file. The result says whether it failed, and whether this machine skipped tests. */
export async function runTestFile(name: string, file: string): Promise<FaultResult> {
  const child = spawn(process.execPath, ['test/run.ts', file], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let output = ''
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()))
  // as: the arguments of the event
  const [status] = (await once(child, 'close')) as [number | null]
  const isSkipped = status === 0 && /^ℹ pass 0$/m.test(output)
  return {
    name,
    file,
    ...(isSkipped && { skipped: 'this machine lacks what its tests need' }),
    violations: status === 0 ? [] : [`${file} failed: ${output.slice(-4_000)}`],
  }
}
