import assert from 'node:assert/strict'
import { execFileSync, spawn, type ChildProcess } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { eventually } from '#test/browser.ts'
import { createDatabase, type TestDatabase } from '#test/databases.ts'
import { freePort } from '#test/free-port.ts'
import { CHECKOUT, startMokuroku, temporaryFolder, type Program } from '#test/program.ts'
import { redisMissing, startRedis, type RedisServer } from '#test/redis.ts'
import { missingProgram } from '#test/required-programs.ts'
import { startService } from '#test/service.ts'

const MONITORING = fileURLToPath(new URL('../examples/monitoring/', import.meta.url))

/** Expressions without data in this test, with the reason. */
const WITHOUT_DATA: Record<string, string> = {
  db_client_errors_total: 'no statement fails',
  mokuroku_backup_timestamp_seconds: 'there is no backup',
  mokuroku_backup_bytes: 'there is no backup',
  mokuroku_replica_up: 'there are no replicas',
  mokuroku_replica_lag_bytes: 'there are no replicas',
  mokuroku_reads_total: 'there are no replicas',
  mokuroku_import_dump_timestamp_seconds: 'the sample has no date',
  mokuroku_import_last_failure_timestamp_seconds: 'no import fails',
}

type Values = Map<string, number>

/** Parses metrics in text format into values, keyed by name and labels. */
function parse(text: string): Values {
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'))
  return new Map(
    lines.map((line) => {
      const space = line.lastIndexOf(' ')
      return [line.slice(0, space), Number(line.slice(space + 1))]
    }),
  )
}

/** Adds the values of a metric over its labels, for those that include a string. */
const sumOf = (values: Values, name: string, labels = '') =>
  [...values].reduce(
    (sum, [key, value]) =>
      key.replace(/\{.*/, '') === name && key.includes(labels) ? sum + value : sum,
    0,
  )

describe(
  'the metrics of a service with two workers',
  { skip: redisMissing() || missingProgram('prometheus', 'prometheus') },
  () => {
    const folder = temporaryFolder()
    let database: TestDatabase
    let redis: RedisServer
    let program: Program
    let url: string
    let metricsPort: number
    let token: string
    let app: { clientId: string; secret: string }

    before(async () => {
      database = await createDatabase('server', 'sample')
      redis = await startRedis()
      const maker = await startService({ database })
      const { port } = maker.config
      url = maker.url
      app = await maker.createApp()
      token = await maker.token('catalog:full', { requestsPerMinute: 50 })
      await maker.close()
      metricsPort = await freePort()
      program = startMokuroku(['serve', '--no-demo'], {
        environment: {
          HOST: '127.0.0.1',
          PORT: String(port),
          DATABASE_URL: database.databaseUrl,
          DATA_DIR: database.dataDir,
          DATABASE_POOL_SIZE: '4',
          REDIS_URL: redis.url,
          METRICS_ADDRESS: `127.0.0.1:${metricsPort}`,
          WORKERS: '2',
        },
      })
      await program.waitForOutput('mokuroku listens')
    })
    after(async () => {
      await program.end()
      await redis.stop()
      await database.remove()
      folder.remove()
    })

    const read = (path: string, headers = {}) =>
      fetch(`http://127.0.0.1:${metricsPort}${path}`, { headers })
    const readMetrics = async () => (await read('/metrics')).text()
    const requestDetail = () =>
      fetch(`${url}/v3/galgames/1`, { headers: { authorization: `Bearer ${token}` } })

    it('are valid for promtool, in both formats', async () => {
      execFileSync('promtool', ['check', 'metrics'], { input: await readMetrics() })
      const openMetrics = await read('/metrics', {
        accept: 'application/openmetrics-text;version=1.0.0,text/plain;q=0.5',
      })
      assert.match(openMetrics.headers.get('content-type') ?? '', /^application\/openmetrics-text/)
      const text = await openMetrics.text()
      assert.match(text, /\nmokuroku_cache_hits_total \d+\n[^]*# EOF\n$/)
      assert.doesNotMatch(text, /_total_total/)
    })

    it('include the program’s version, which the liveness check also returns', async () => {
      // as: the response is compared below
      const { version } = JSON.parse(readFileSync(join(CHECKOUT, 'package.json'), 'utf8')) as {
        version: string
      }
      const { commit, ...live } = (await (await read('/health/live')).json()) as { commit?: string }
      assert.deepEqual(live, { status: 'ok', version })
      const labels = `version="${version}",commit="${commit ?? ''}"`
      await eventually(
        async () => (await readMetrics()).includes(`mokuroku_build_info{${labels},`),
        labels,
      )
    })

    it('are not on the public port', async () => {
      assert.equal((await fetch(`${url}/metrics`)).status, 404)
      assert.equal((await fetch(`${url}/health/startup`)).status, 404)
    })

    it('count the requests to both workers by route template', async () => {
      const name = 'http_server_request_duration_seconds_count'
      const before = parse(await readMetrics())
      for (let request = 0; request < 20; request += 1) await (await requestDetail()).text()
      const after = parse(await readMetrics())
      const counted = (values: Values) => sumOf(values, name, 'http_route="/v3/galgames/:id"')
      assert.equal(counted(after) - counted(before), 20)
      const cache = (values: Values) =>
        sumOf(values, 'mokuroku_cache_hits_total') + sumOf(values, 'mokuroku_cache_misses_total')
      assert.equal(cache(after) - cache(before), 20)
    })

    it('stay limited in number when clients invent paths, methods and statuses', async () => {
      const lines = async () => (await readMetrics()).split('\n').length
      await fetch(`${url}/invented`)
      const before = await lines()
      for (let batch = 0; batch < 10; batch += 1)
        await Promise.all(
          Array.from({ length: 100 }, async (_, index) => {
            const response = await fetch(`${url}/invented/${batch}/${index}?secret=x`)
            await response.text()
          }),
        )
      const text = await readMetrics()
      assert.ok(!text.includes('invented/') && !text.includes('secret'))
      assert.ok(text.split('\n').length - before < 60, `${text.split('\n').length - before} lines`)
    })

    it('count throttled, malformed and failed requests', async () => {
      for (let request = 0; request < 60; request += 1) await (await requestDetail()).text()
      await new Promise((resolve) => {
        connect(
          Number(new URL(url).port),
          '127.0.0.1',
          function (this: { end(text: string): void }) {
            this.end('nonsense\r\n\r\n')
          },
        )
          .resume()
          .once('close', resolve)
      })
      const basic = Buffer.from(`${app.clientId}:${app.secret}`).toString('base64')
      await fetch(`${url}/oidc/token`, {
        method: 'POST',
        headers: { authorization: `Basic ${basic}` },
        body: new URLSearchParams({ grant_type: 'client_credentials', scope: 'catalog:full' }),
      })
      const values = parse(await readMetrics())
      assert.ok(sumOf(values, 'mokuroku_throttled_total', 'window="catalog"') >= 1)
      assert.ok(sumOf(values, 'http_server_refused_total', 'reason="throttle"') >= 1)
      assert.equal(sumOf(values, 'http_server_refused_total', 'reason="bad_request"'), 1)
      assert.equal(sumOf(values, 'mokuroku_tokens_issued_total', 'client_credentials'), 1)
    })

    it('never decrease when a worker is killed', async () => {
      const name = 'http_server_request_duration_seconds_count'
      const before = sumOf(parse(await readMetrics()), name)
      const [, pid] = /"pid":(\d+),"msg":"A worker runs the periodic/.exec(program.errors()) ?? []
      process.kill(Number(pid), 'SIGKILL')
      await program.waitForOutput('A worker has replaced one that exited')
      const values = parse(await readMetrics())
      assert.ok(sumOf(values, name) >= before)
      assert.equal(sumOf(values, 'mokuroku_worker_restarts_total'), 1)
      const ready = (await (await read('/health/ready')).json()) as {
        status: string
        checks: Record<string, { ok: boolean; ms?: number; listening?: number }>
      }
      assert.equal(ready.status, 'ok')
      assert.equal(ready.checks['workers']?.listening, 2)
      assert.equal(typeof ready.checks['database']?.ms, 'number')
    })

    it('provide data in a real Prometheus for every expression of the dashboard and the alerts', async () => {
      const port = await freePort()
      const prometheus = startPrometheus(folder.path, port, metricsPort)
      try {
        const query = async (expression: string): Promise<unknown[]> => {
          const response = await fetch(
            `http://127.0.0.1:${port}/api/v1/query?query=${encodeURIComponent(expression)}`,
          )
          const { status, data, error } = (await response.json()) as {
            status: string
            data?: { result: unknown[] }
            error?: string
          }
          assert.equal(status, 'success', `${expression}: ${error}`)
          return data?.result ?? []
        }
        await eventually(
          async () =>
            (await query('count_over_time(mokuroku_ready[1m]) > 5').catch(() => [])).length > 0,
          'Prometheus',
        )
        const dashboard = JSON.parse(readFileSync(`${MONITORING}dashboard.json`, 'utf8')) as {
          panels: { targets?: { expr: string }[] }[]
        }
        const expressions = dashboard.panels
          .flatMap(({ targets = [] }) => targets)
          .map(({ expr }) =>
            expr.replaceAll('$instance', '.*').replaceAll('$__rate_interval', '1m'),
          )
        assert.ok(expressions.length > 50)
        const rules = await fetch(`http://127.0.0.1:${port}/api/v1/rules`)
        const { data } = (await rules.json()) as {
          data: { groups: { rules: { name: string; query: string; health: string }[] }[] }
        }
        const alerts = data.groups.flatMap((group) => group.rules)
        assert.deepEqual(
          alerts.filter(({ health }) => health === 'err').map(({ name }) => name),
          [],
        )
        // An alert has data only while it fires, so each of its selectors is queried.
        const selectors = alerts.flatMap(({ query: text }) => [
          ...text.matchAll(/\b(?:up|[a-z0-9]+_[a-z0-9_]+)(?:\{[^}]*\})?(?:\[\w+\])?/g),
        ])
        const selected = selectors
          .map(([selector]) => selector.replace(/\[.*/, ''))
          .filter((selector) => !/^(min_over_time|histogram_quantile)$/.test(selector))
          // No request fails with a server error.
          .map((selector) => selector.replace('5..', '...'))
        const empty = new Set<string>()
        for (const expression of [...expressions, ...selected])
          if ((await query(expression)).length === 0) empty.add(expression)
        const explained = (expression: string) =>
          Object.keys(WITHOUT_DATA).some((name) => expression.includes(name)) ||
          // The test changes no user data.
          expression.includes('/v3/user/')
        assert.deepEqual(
          [...empty].filter((expression) => !explained(expression)),
          [],
        )
      } finally {
        prometheus.kill('SIGKILL')
      }
    })
  },
)

/** Starts Prometheus with the example's configuration, which scrapes the service every second. */
function startPrometheus(folder: string, port: number, metricsPort: number): ChildProcess {
  const configuration = readFileSync(`${MONITORING}prometheus.yml`, 'utf8')
    .replaceAll('15s', '1s')
    .replace('- alerts.yml', `- ${MONITORING}alerts.yml`)
    .replace('127.0.0.1:9464', `127.0.0.1:${metricsPort}`)
  const file = join(folder, 'prometheus.yml')
  writeFileSync(file, configuration)
  const child = spawn(
    'prometheus',
    [
      `--config.file=${file}`,
      `--storage.tsdb.path=${join(folder, 'data')}`,
      `--web.listen-address=127.0.0.1:${port}`,
    ],
    { stdio: 'ignore' },
  )
  process.once('exit', () => child.kill('SIGKILL'))
  return child
}
