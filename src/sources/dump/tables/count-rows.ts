import type { OnRows } from '../../records/progress.ts'
import type { Dump } from '../dump.ts'
import type { LineBlock } from './lines.ts'

/** Wraps a dump so that it reports the number of rows read. */
export function countRows(dump: Dump, onRows: OnRows): Dump {
  let rows = 0
  async function* counted(blocks: AsyncIterable<LineBlock>): AsyncGenerator<LineBlock> {
    for await (const block of blocks) {
      rows += block.lines.length
      onRows(rows)
      yield block
    }
  }
  return {
    ...dump,
    async open(table) {
      const opened = await dump.open(table)
      return opened && { ...opened, lines: counted(opened.lines) }
    },
  }
}
