import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { GAME, MANGA_ROW, release } from '#test/bangumi-rows.ts'
import { temporaryDumps, withDefaultDatabase } from '#test/dumps.ts'
import type { SourceRecord } from '../../records/record.ts'
import { openSource } from '../../../curation/sources.ts'

const infobox = (...lines: string[]) =>
  `{{Infobox animanga/Manga\n${lines.map((line) => `|${line}\n`).join('')}}}`

describe('the result of reading a Bangumi dump', () => {
  const { folderOf } = temporaryDumps()

  /**
   * Reads the rows as if today were the given day.
   *
   * @returns the status of each work, and the first day on which a status changes
   */
  async function readOn(today: string, ...rows: object[]) {
    const folder = folderOf({
      'subject.jsonlines': rows
        .map((row, index) => JSON.stringify({ id: index + 1, name: `作品${index}`, ...row }))
        .join('\n'),
    })
    const { records, dependencies, close } = await openSource('bangumi', folder, {
      allowMissing: 'any',
      today,
    })
    const read = await withDefaultDatabase((trx) =>
      Array.fromAsync(records({ note: () => {} }, trx)),
    ).finally(close)
    return { states: read.map(stateOf), until: dependencies.until }
  }
  const stateOf = ({ kind, fields }: SourceRecord) =>
    kind === 'galgame' && 'dev_status' in fields
      ? fields.dev_status
      : 'serial_status' in fields
        ? fields.serial_status
        : undefined

  it('is valid until the next release of a game', async () => {
    const games = ['2026年12月24日', '2026-12-25', '2004-04-28'].map((date) => ({
      ...GAME,
      infobox: release(date),
    }))
    assert.deepEqual(await readOn('2026-12-23', ...games), {
      states: [undefined, undefined, 'RELEASED'],
      until: '2026-12-24',
    })
    assert.deepEqual(await readOn('2026-12-24', ...games), {
      states: ['RELEASED', undefined, 'RELEASED'],
      until: '2026-12-25',
    })
    assert.deepEqual((await readOn('2026-12-25', ...games)).until, undefined)
  })

  it('is valid until a serial ends or is assumed to have ended', async () => {
    const ending = { ...MANGA_ROW, series: true, infobox: infobox('开始= 2004', '结束= 2027年3月') }
    assert.deepEqual(await readOn('2027-02-28', ending), {
      states: [undefined],
      until: '2027-03-01',
    })
    assert.deepEqual(await readOn('2027-03-01', ending), { states: ['FINISHED'], until: undefined })
    const running = { ...MANGA_ROW, series: true, infobox: infobox('开始= 2021年6月') }
    assert.deepEqual(await readOn('2026-12-31', running), {
      states: ['SERIALIZING'],
      until: '2027-01-01',
    })
    assert.deepEqual(await readOn('2027-01-01', running), { states: [undefined], until: undefined })
  })
})
