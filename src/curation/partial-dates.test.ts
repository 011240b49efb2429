import assert from 'node:assert/strict'
import { it } from 'node:test'
import { describeOnDatabase } from '#test/databases.ts'
import { onEmptyCatalog } from '#test/empty-catalog.ts'
import type { SameAs, SourceRecord } from '../sources/records/record.ts'

const novel = (
  external_id: string,
  fields: Partial<Extract<SourceRecord, { kind: 'light_novel' }>['fields']>,
  same_as: SameAs[] = [],
): SourceRecord => ({
  kind: 'light_novel',
  external_id,
  fields: { name: '書', ...fields },
  same_as,
})

const SAME: SameAs[] = [{ source: 'bangumi', external_id: '7' }]

describeOnDatabase('a partial date', (engine) => {
  const { run, read } = onEmptyCatalog(engine, () => {})
  const shown = () => read('light_novels', 'publication_date', 'publication_date_text')

  it('is kept as text until another source knows the day', async () => {
    await run('ranobedb', novel('1', { publication_date_text: '2007-08' }, SAME))
    assert.deepEqual(await shown(), [[null, '2007-08']])
    await run('bangumi', novel('7', { publication_date: '2007-08-17' }))
    assert.deepEqual(await shown(), [['2007-08-17', null]])
  })

  it('is dropped if another source has a full date, but kept if it was set by hand', async () => {
    await run('ranobedb', novel('1', { publication_date: '2007-08-17' }, SAME))
    await run('bangumi', novel('7', { publication_date_text: '2007' }))
    assert.deepEqual(await shown(), [['2007-08-17', null]])
    await run('local', novel('hand', { publication_date_text: '2007-09' }, SAME))
    assert.deepEqual(await shown(), [['2007-08-17', '2007-09']])
  })
})
