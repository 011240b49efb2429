import { DASHBOARD_ROWS, type DashboardPanel } from './dashboard.ts'

const DATASOURCE = { type: 'prometheus', uid: '${datasource}' }
const INSTANCES = 'label_values(process_resident_memory_bytes{job="mokuroku"}, instance)'

/** Settings of the dashboard, apart from its panels. */
const FRAME = {
  title: 'mokuroku',
  uid: 'mokuroku',
  tags: ['mokuroku'],
  timezone: 'browser',
  schemaVersion: 38,
  version: 1,
  editable: true,
  refresh: '30s',
  time: { from: 'now-6h', to: 'now' },
  templating: {
    list: [
      { name: 'datasource', label: 'Data source', type: 'datasource', query: 'prometheus' },
      {
        name: 'instance',
        label: 'Instance',
        type: 'query',
        datasource: DATASOURCE,
        query: { query: INSTANCES, refId: 'A' },
        definition: INSTANCES,
        includeAll: true,
        multi: true,
        allValue: '.*',
        current: { text: 'All', value: '$__all' },
        refresh: 2,
        sort: 1,
      },
    ],
  },
}

/** Size of a panel in Grafana's grid, which is 24 columns wide. */
const WIDTH = 8
const HEIGHT = 7
const PER_LINE = 24 / WIDTH

/** Returns the text of `examples/monitoring/dashboard.json`, with one panel per line. */
export function describeDashboard(): string {
  const panels: object[] = []
  let top = 0
  for (const [title, members] of Object.entries(DASHBOARD_ROWS)) {
    const gridPos = { h: 1, w: 24, x: 0, y: top }
    panels.push({
      id: panels.length + 1,
      type: 'row',
      title,
      collapsed: false,
      gridPos,
      panels: [],
    })
    top += 1
    for (const [index, member] of members.entries()) {
      const x = (index % PER_LINE) * WIDTH
      const y = top + Math.floor(index / PER_LINE) * HEIGHT
      panels.push({ id: panels.length + 1, ...toPanel(member, { h: HEIGHT, w: WIDTH, x, y }) })
    }
    top += Math.ceil(members.length / PER_LINE) * HEIGHT
  }
  const frame = JSON.stringify(FRAME).slice(0, -1)
  return `${frame},\n"panels": [\n${panels.map((one) => JSON.stringify(one)).join(',\n')}\n]}\n`
}

const toPanel = ({ title, unit, mayBeNegative, queries }: DashboardPanel, gridPos: object) => ({
  type: 'timeseries',
  title,
  datasource: DATASOURCE,
  gridPos,
  fieldConfig: {
    defaults: {
      unit,
      custom: { fillOpacity: 8, showPoints: 'never' },
      ...(!mayBeNegative && { min: 0 }),
    },
    overrides: [],
  },
  options: {
    legend: { displayMode: 'list', placement: 'bottom' },
    tooltip: { mode: 'multi', sort: 'desc' },
  },
  targets: queries.map((query, index) => ({
    refId: String.fromCharCode('A'.charCodeAt(0) + index),
    datasource: DATASOURCE,
    ...query,
  })),
})
