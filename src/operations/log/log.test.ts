import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it, mock } from 'node:test'
import { removeFolder, scratchFolder } from '#test/scratch-folder.ts'
import { openLog } from './log.ts'

describe('openLog', () => {
  it('ignores write errors', () => {
    const log = openLog('info', '/dev/full')
    for (let line = 0; line < 1_000; line += 1)
      assert.doesNotThrow(() => log.info({ line }, 'a line that does not fit on the disk'))
  })

  it('summarizes the repeated lines of an outage every ten seconds', () => {
    const folder = scratchFolder('log')
    mock.timers.enable({ apis: ['setInterval'] })
    try {
      const file = join(folder, 'log')
      const log = openLog('info', file)
      const err = Object.assign(new Error('connect'), { code: 'ECONNREFUSED' })
      for (let request = 0; request < 5; request += 1) log.error({ err }, 'Service Unavailable')
      mock.timers.tick(10_000)
      const lines = readFileSync(file, 'utf8').trim().split('\n')
      assert.deepEqual(
        // as: pino writes one JSON object per line
        lines.map((line) => (JSON.parse(line) as { count?: number }).count),
        [undefined, 4],
      )
    } finally {
      mock.timers.reset()
      removeFolder(folder)
    }
  })
})
