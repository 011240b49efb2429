import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { parseArguments } from '../bench/arguments.ts'
import { reportChanges } from '../bench/compare/changes.ts'
import { changeOf, medianInterval } from '../bench/compare/interval.ts'
import { OtherSideFailed, takeTurns, type Turns } from '../bench/compare/turns.ts'
import { requestTimes, toResults } from '../bench/endpoints.ts'
import { busyBetween, parsePressure, parseProcessors, type Moment } from '../bench/support/busy.ts'
import {
  readApiDocument,
  requestsOfApi,
  type ApiDocument,
} from '../bench/support/endpoint-requests.ts'
import { parseProcessStat, sumOfTree } from '../bench/support/processor-time.ts'
import {
  describeBusy,
  report,
  toResult,
  type Result,
  type Series,
} from '../bench/support/report.ts'

const IDLE_MACHINE = { others: 0.01, stolen: 0, waiting: 0.5 }
const result = (row: string, series: Series[], busy: Result['busy'] = IDLE_MACHINE): Result => ({
  row,
  measured: '',
  busy,
  series,
})
const rates = (...values: number[]): Series => ({ unit: '/s', better: 'more', values })

describe('the command line of the benchmark', () => {
  it('accepts names, --quick and --compare in any order', () => {
    assert.deepEqual(parseArguments(['warm', '--compare', 'HEAD~3', '--quick'], ['warm', 'cold']), {
      quick: true,
      compare: 'HEAD~3',
      catalogs: undefined,
      names: ['warm'],
    })
    assert.deepEqual(parseArguments([], ['warm']), {
      quick: false,
      compare: undefined,
      catalogs: undefined,
      names: [],
    })
    const given = parseArguments(['--catalogs', 'postgres://a/few,postgres://a/many'], ['warm'])
    assert.deepEqual(given && 'catalogs' in given && given.catalogs, {
      few: 'postgres://a/few',
      many: 'postgres://a/many',
    })
    assert.equal(parseArguments(['--help', 'nothing'], ['warm']), undefined)
  })

  it('reports invalid arguments', () => {
    const complaintOf = (...args: string[]) => JSON.stringify(parseArguments(args, ['warm']))
    assert.match(complaintOf('warm', 'lukewarm'), /No row is called lukewarm/)
    assert.match(complaintOf('--compare'), /argument missing/)
    assert.match(complaintOf('--compare='), /takes a commit/)
    assert.match(complaintOf('--fast'), /Unknown option/)
    assert.match(complaintOf('--catalogs', 'one'), /takes two addresses/)
    assert.match(complaintOf('--catalogs', 'one,two', '--compare', 'HEAD'), /exclude each other/)
  })
})

describe('the load of the machine', () => {
  it('is read from the kernel’s statistics, with interrupts attributed to no process', () => {
    const text = 'cpu  100 10 50 800 20 5 7 8 30 0\ncpu0 1 2 3\n'
    assert.deepEqual(parseProcessors(text), {
      all: 10_000_000,
      programs: 1_600_000,
      stolen: 80_000,
    })
    assert.equal(
      parsePressure('some avg10=0.05 avg60=0.20 avg300=9.89 total=264\nfull avg10=0 total=1\n'),
      264,
    )
    assert.equal(parsePressure(''), undefined)
  })

  it('excludes all processes of the benchmark, including those that have exited', () => {
    const stat = (pid: number, name: string, parent: number, [own, ended]: [number, number]) =>
      parseProcessStat(
        `${pid} (${name}) S ${parent} 1 1 0 -1 4194560 1 2 3 4 ${own} 0 ${ended} 0 20 0 1 0 99`,
      )
    const processes = [
      stat(1, 'init', 0, [900, 900]),
      stat(10, 'node', 1, [5, 20]),
      stat(11, 'postgres: a) S 1 (b', 10, [3, 2]),
      stat(12, 'postgres', 11, [1, 0]),
      stat(20, 'neighbor', 1, [70, 7]),
    ]
    assert.equal(sumOfTree(processes, 10), 310_000)
    assert.equal(sumOfTree(processes, 11), 60_000)
  })

  it('is the share of processor time that was neither idle nor used by the benchmark', () => {
    const before: Moment = {
      all: 1_000,
      programs: 500,
      stolen: 0,
      ownCpu: 100,
      waited: 10,
      time: 0,
    }
    const after: Moment = {
      all: 3_000,
      programs: 1_500,
      stolen: 40,
      ownCpu: 640,
      waited: 510,
      time: 1_000,
    }
    assert.deepEqual(busyBetween(before, after), { others: 0.23, stolen: 0.02, waiting: 0.5 })
    // The kernel's samples may report less than our processes used.
    const alone = { ...after, programs: 1_000 }
    assert.equal(busyBetween(before, { ...alone, waited: undefined }).others, 0)
    assert.equal(busyBetween(before, { ...alone, waited: undefined }).waiting, undefined)
  })

  it('is marked on each row and summarized, or reported as unknown', () => {
    const busy = { others: 0.23, stolen: 0.02, waiting: 0.5 }
    const rows = report([
      { ...result('warm', [], busy), met: true },
      { ...result('cold', []), met: true },
    ]).join('\n')
    assert.match(rows, /^warm +met\? +busy: 25 %$/m)
    assert.match(rows, /^cold +met$/m)
    const summary = describeBusy([result('warm', [], busy), result('cold', [])]).join('\n')
    assert.match(summary, /12 % of the processors were somebody else's/)
    assert.match(summary, /1 of 2 rows are marked/)
    assert.match(describeBusy([result('cold', [])]).join('\n'), /No row is marked/)
    assert.match(describeBusy([{ row: 'warm', busy: undefined }]).join('\n'), /is unknown/)
  })
})

describe('a benchmark row', () => {
  it('shows the ratios of rates and of processor time, each as the median of the rounds', () => {
    const round = (mine: number, floor: number) => ({
      floor: { perSecond: floor, cpu: 50 },
      subject: { perSecond: mine, cpu: 80, database: undefined },
    })
    const comparison = { rounds: [round(50, 100), round(10, 100), round(90, 100)], busy: undefined }
    const { ratio, processorRatio, met } = toResult('row', comparison, 0.6)
    assert.deepEqual([ratio, processorRatio, met], ['0.50', '0.63', false])
  })

  it('includes the processor time of PostgreSQL on both sides if the baseline is a statement', () => {
    const rounds = [
      {
        floor: { perSecond: 1, cpu: 10, database: 90 },
        subject: { perSecond: 1, cpu: 100, database: 100 },
      },
    ]
    const { measured, processorRatio } = toResult('row', { rounds, busy: undefined })
    assert.deepEqual([measured, processorRatio], ['1/s, 100.0 + 100.0 µs', '0.50'])
  })

  it('has no ratio of processor time if the system does not report it', () => {
    const rounds = [{ floor: { perSecond: 2 }, subject: { perSecond: 1 } }]
    const { measured, ratio, processorRatio } = toResult('row', { rounds, busy: undefined })
    assert.deepEqual([measured, ratio, processorRatio], ['1/s', '0.50', undefined])
  })
})

describe('requests in the endpoint benchmark', () => {
  const document = readApiDocument()
  const get = (operation: NonNullable<ApiDocument['paths'][string]['get']>) => ({
    paths: { '/api/v3/open/galgames/{id}/new': { get: operation } },
  })

  it('cover every GET of the API', () => {
    const gets = Object.entries(document.paths).flatMap(([path, { get: operation }]) =>
      operation ? [path] : [],
    )
    assert.ok(gets.length > 70)
    assert.deepEqual(
      requestsOfApi(document).map(({ name }) => name),
      gets,
    )
  })

  it('fail for a new endpoint whose parameters have no values', () => {
    const components = {}
    const created = requestsOfApi({ components, ...get({ operationId: 'new' }) })
    assert.deepEqual(
      created.map(({ sender }) => sender),
      ['anonymous'],
    )
    const needs = { in: 'query', name: 'color', required: true }
    assert.throws(
      () => requestsOfApi({ components, ...get({ operationId: 'new', parameters: [needs] }) }),
      /add new to QUERIES/,
    )
    const operation = { operationId: 'new' }
    assert.throws(
      () =>
        requestsOfApi({
          components,
          paths: { '/api/v3/open/shelves/{number}': { get: operation } },
        }),
      /shelves.*add it to PLACES/,
    )
  })

  it('are summarized by the share that stays fast enough in a large catalog, slowest first', () => {
    const times = (low: number) => requestTimes([low + 9, low, low, low + 5])
    const rows = toResults(
      [
        { name: 'steady', few: times(2), many: times(2.6) },
        { name: 'growing', few: times(2), many: times(3) },
      ],
      [1_000, 20_000],
      undefined,
    )
    assert.deepEqual(
      rows.map(({ row, ratio, met }) => [row, ratio, met]),
      [
        ['requests within 1.3 of 1,000 works, 20,000 works', '0.50', false],
        ['  growing', '1.50', false],
        ['  steady', '1.30', true],
      ],
    )
  })
})

describe('a comparison of two commits', () => {
  const NOISE = [0.9, 1.1, 0.95, 1.05, 0.98, 1.02, 1, 0.97]

  it('finds a difference if nearly all pairs differ, despite one outlier', () => {
    assert.equal(medianInterval([1, 2, 3, 4, 5, 6, 7]), undefined)
    assert.deepEqual(medianInterval([8, 1, 7, 2, 6, 3, 5, 4]), { low: 1, high: 8 })
    const twelve = Array.from({ length: 12 }, (_, index) => index + 1)
    assert.deepEqual(medianInterval(twelve), { low: 2, high: 11 })
    const many = Array.from({ length: 201 }, (_, index) => index)
    const { low = 0, high = 0 } = medianInterval(many) ?? {}
    // 100 ± 2.58 · √201 / 2 by the normal distribution.
    assert.ok(low >= 80 && low <= 83 && high === 200 - low, `${low}–${high}`)
  })

  it('finds no difference if the pairs scatter, or differ less than two processes of the same commit', () => {
    const before = rates(...NOISE.map((factor) => 1_000 * factor))
    const verdictOf = (factor: number) =>
      changeOf(
        rates(...NOISE.map(() => 1_000)),
        rates(...NOISE.map((noise) => 1_000 * factor * noise)),
      ).verdict
    assert.equal(changeOf(before, before).ratio, 1)
    assert.equal(verdictOf(1), 'no difference beyond noise')
    assert.equal(verdictOf(1.05), 'no difference beyond noise')
    assert.equal(verdictOf(1.3), 'better')
    assert.equal(verdictOf(0.7), 'worse')
    const slightly = rates(...NOISE.map(() => 1_020))
    assert.equal(
      changeOf(rates(...NOISE.map(() => 1_000)), slightly).verdict,
      'no difference beyond noise',
    )
    const less = (value: number): Series => ({
      unit: 'ms',
      better: 'less',
      values: NOISE.map(() => value),
    })
    assert.equal(changeOf(less(2), less(1)).verdict, 'better')
    assert.equal(changeOf({ ...less(2), values: [2] }, less(1)).verdict, 'too few values to tell')
  })

  it('reports each row, and says which rows cannot be compared', () => {
    const series = [rates(...NOISE)]
    const lines = reportChanges({ before: 'abc1234', after: 'here' }, [
      {
        name: 'warm',
        before: [result('detail', series)],
        after: [result('detail', series), result('new', [])],
      },
      {
        name: 'lists',
        before: [],
        after: [],
        failure: { commit: 'abc1234', error: new Error('no such table\nat line 3') },
      },
    ]).join('\n')
    assert.match(lines, /^detail +\/s +1 +1 +1\.000 +1\.000–1\.000 +no difference beyond noise/m)
    assert.match(lines, /warm: only one of the two has the row "new"/)
    assert.match(lines, /^lists cannot run on abc1234: no such table$/m)
  })
})

describe('alternating runs', () => {
  it('alternate from the beginning, until only the longer one continues', async () => {
    const order: string[] = []
    const side = (name: string, rounds: number) => async (turns: Turns) => {
      for (let round = 1; round <= rounds; round += 1) {
        order.push(`${name}${round} begins`)
        await new Promise((resolve) => setImmediate(resolve))
        order.push(`${name}${round}`)
        await turns.pass()
      }
      return name
    }
    const outcomes = await takeTurns(side('a', 2), side('b', 3))
    assert.deepEqual(
      outcomes.map((outcome) => outcome.status === 'fulfilled' && outcome.value),
      ['a', 'b'],
    )
    const rounds = ['a1', 'b1', 'a2', 'b2', 'b3']
    assert.deepEqual(
      order,
      rounds.flatMap((round) => [`${round} begins`, round]),
    )
  })

  it('stop together when one of them fails, which the error names', async () => {
    const failing = async (turns: Turns) => {
      await turns.pass()
      throw new Error('broken')
    }
    const endless = async (turns: Turns) => {
      for (;;) await turns.pass()
    }
    for (const [first, second, failed] of [
      [failing, endless, 0],
      [endless, failing, 1],
    ] as const) {
      const reasons = (await takeTurns<void>(first, second)).map((outcome) =>
        outcome.status === 'rejected' ? outcome.reason : undefined,
      )
      assert.equal(reasons[failed]?.message, 'broken')
      assert.ok(reasons[1 - failed] instanceof OtherSideFailed)
    }
  })
})
