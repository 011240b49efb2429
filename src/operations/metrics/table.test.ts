import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { missingProgram } from '#test/required-programs.ts'
import { describeMetrics } from './describe-metrics.ts'
import { pendingAge } from './pending-age.ts'
import { METRICS, type MetricDefinition } from './table.ts'

const MONITORING = fileURLToPath(new URL('../../../examples/monitoring/', import.meta.url))
const read = (file: string) => readFileSync(`${MONITORING}${file}`, 'utf8')
const promtool = (...args: string[]) =>
  execFileSync('promtool', args, { cwd: MONITORING, encoding: 'utf8', stdio: 'pipe' })

const NAMES = Object.keys(METRICS)
const LABELS = new Set(
  Object.values<MetricDefinition>(METRICS).flatMap(({ labels = {} }) => Object.keys(labels)),
)

/** Lists the metrics that a string names. */
const namesIn = (text: string) =>
  new Set(
    [...text.matchAll(/\b(?:http_server|db_client|nodejs|v8js|process|mokuroku)_[a-z_]+\b/g)].map(
      ([name]) => (name in METRICS ? name : name.replace(/_(bucket|count|sum)$/, '')),
    ),
  )

describe('the metrics table', () => {
  it('matches docs/operations.md and the dashboard (if not, run npm run metrics)', async () => {
    for (const { path, text } of await describeMetrics())
      assert.equal(readFileSync(path, 'utf8'), text)
  })

  it('contains every metric that an alert rule or its test uses', () => {
    for (const file of ['alerts.yml', 'alerts.test.yml'])
      assert.deepEqual(
        [...namesIn(read(file))].filter((name) => !(name in METRICS) && !LABELS.has(name)),
        [],
        file,
      )
  })

  it('contains only metrics that the dashboard shows', () => {
    const shown = namesIn(read('dashboard.json'))
    assert.deepEqual(
      NAMES.filter((name) => !shown.has(name)),
      [],
    )
  })

  it('contains only labels with a fixed set of values', () => {
    for (const [name, { labels = {} }] of Object.entries<MetricDefinition>(METRICS))
      for (const [label, values] of Object.entries(labels))
        assert.ok(values.length > 0, `${name} ${label}`)
  })
})

describe('the Prometheus examples', { skip: missingProgram('promtool', 'prometheus') }, () => {
  it('are valid', () => {
    promtool('check', 'config', 'prometheus.yml')
    promtool('check', 'rules', 'alerts.yml')
  })

  it('pass their own alert rule tests', () => {
    assert.match(promtool('test', 'rules', 'alerts.test.yml'), /SUCCESS/)
  })

  it('contain tests that each alert fires when it should and does not fire otherwise', () => {
    const tests = read('alerts.test.yml')
    for (const [, alert = ''] of read('alerts.yml').matchAll(/- alert: (\w+)/g))
      for (const name of [`${alert} fires`, `${alert} does not fire`])
        assert.ok(tests.includes(`- name: ${name}\n`), name)
  })
})

describe('the age of waiting rows', () => {
  it('is measured from the first call that found the waiting row', () => {
    const age = pendingAge()
    assert.equal(age(null, null, 0), 0)
    assert.equal(age(5, 9, 10_000), 0)
    assert.equal(age(7, 12, 25_000), 15)
    assert.equal(age(10, 20, 40_000), 15)
    assert.equal(age(21, 30, 60_000), 0)
    assert.equal(age(31, 30, 70_000), 0)
    assert.equal(age(30, 30, 90_000), 0)
  })

  it('is computed with bounded memory without losing the oldest timestamp', () => {
    const age = pendingAge()
    for (let call = 0; call <= 1_000; call += 1) age(1, call + 1, call * 1_000)
    assert.equal(age(1, 5_000, 1_001_000), 1_001)
  })
})
