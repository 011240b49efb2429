import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { numberVariable } from './number-variables.ts'
import { startProgram } from './program.ts'

describe('a number in an environment variable', () => {
  it('is undefined if unset or empty, and may have a fraction where that makes sense', () => {
    const read = (value: string) => numberVariable('SOAK_MINUTES', { SOAK_MINUTES: value })
    assert.equal(numberVariable('SOAK_MINUTES', {}), undefined)
    assert.equal(read(''), undefined)
    assert.deepEqual(['15', '0.5'].map(read), [15, 0.5])
    for (const value of ['15m', '0', '-1', 'Infinity', 'NaN'])
      assert.throws(() => read(value), {
        message: `SOAK_MINUTES must be a positive number, not "${value}".`,
      })
    assert.throws(() => numberVariable('UPGRADE_KILLS', { UPGRADE_KILLS: '1.5' }), {
      message: 'UPGRADE_KILLS must be a positive integer, not "1.5".',
    })
  })

  for (const command of [
    ['test/run.ts', '--static'],
    ['test/campaign/run.ts', '--rounds', '0', '--faults', 'soak'],
  ])
    it(`is reported by ${command[0]} in one line if it is wrong`, async () => {
      const { status, output, errors } = await startProgram([process.execPath, ...command], {
        environment: { SOAK_MINUTES: '15m', UPGRADE_KILLS: 'ten' },
      }).ended
      assert.deepEqual(
        [status, output, errors],
        [
          2,
          '',
          'SOAK_MINUTES must be a positive number, not "15m".\nUPGRADE_KILLS must be a positive integer, not "ten".\n',
        ],
      )
    })
})
