import assert from 'node:assert/strict'
import { it } from 'node:test'
import { openMetrics } from './registry.ts'
import { measureReplicas } from './replica-metrics.ts'

it('metrics of replicas count reads by server, and omit the lag of a silent replica', async () => {
  const metrics = openMetrics()
  const counts = { replica: 3, primary: 1, behind: 1, failed: 0 }
  const states = [
    { name: 'one:5432', fault: undefined, lagBytes: 10 },
    {
      name: 'two:5432',
      fault: undefined as 'silent' | undefined,
      lagBytes: 20 as number | undefined,
    },
  ]
  measureReplicas({ states: () => states, counts }, metrics)
  const valuesOf = async (name: string) => {
    const sample = (await metrics.collect()).find((found) => found.name === name)
    return Object.fromEntries(
      (sample?.values ?? []).map(({ labels, value }) => [Object.values(labels).join(), value]),
    )
  }
  assert.deepEqual(await valuesOf('mokuroku_replica_up'), { 'one:5432': 1, 'two:5432': 1 })
  counts.replica += 2
  Object.assign(states[1] ?? {}, { fault: 'silent', lagBytes: undefined })
  assert.deepEqual(await valuesOf('mokuroku_replica_up'), { 'one:5432': 1, 'two:5432': 0 })
  assert.deepEqual(await valuesOf('mokuroku_replica_lag_bytes'), { 'one:5432': 10 })
  assert.deepEqual(await valuesOf('mokuroku_reads_total'), {
    replica: 5,
    primary: 1,
    behind: 1,
    failed: 0,
  })
})
