import type { ImportSummary } from '../../src/curation/import-source.ts'
import type { RecordCounts } from '../../src/curation/load-records.ts'
import { MAX_EXAMPLES, type Example } from '../../src/curation/outcomes.ts'
import type { ImportPreview } from '../../src/curation/preview.ts'
import { textOfRemark, type Remark } from '../../src/curation/remarks.ts'
import { printable } from '../../src/kernel/printable.ts'
import { table } from '../print.ts'

/** Describes the result of an import for people. */
export const linesOfSummary = ({ kinds, remarks }: ImportSummary): string[] => [
  ...linesOfCounts(kinds),
  ...linesOfRemarks(remarks),
]

/** Describes the result of a dry run for people. */
export function linesOfPreview({
  kinds,
  joins,
  examples,
  shrinks,
  remarks,
}: ImportPreview): string[] {
  const total = (name: keyof Omit<RecordCounts, 'kind'>) =>
    kinds.reduce((sum, one) => sum + (one[name] ?? 0), 0)
  return [
    ...linesOfCounts(kinds),
    ...linesOfExamples(`${total('created')} would be created`, examples.created),
    ...linesOfExamples(`${total('joined')} would join an entry of another source`, examples.joined),
    ...linesOfExamples(`${total('changed')} would change`, examples.changed),
    ...linesOfExamples(`${total('withdrawn')} would be withdrawn`, examples.withdrawn),
    ...linesOfExamples(`${total('returned')} would return`, examples.returned),
    ...linesOfJoins(joins),
    ...(shrinks.length > 0 ? ['', 'Would shrink by more than 5 %:'] : []),
    ...shrinks.map(({ what, lost, before }) => `  ${what}: ${lost} of ${before}`),
    ...linesOfRemarks(remarks),
    '',
    'Nothing was changed.',
  ]
}

export function linesOfCounts(kinds: RecordCounts[]): string[] {
  const rows = kinds.map(
    ({ kind, created, joined = '', changed, unchanged, withdrawn, returned }) =>
      [kind, created, joined, changed, unchanged, withdrawn, returned].map(String),
  )
  return table([
    ['kind', 'created', 'joined', 'changed', 'unchanged', 'withdrawn', 'returned'],
    ...rows,
  ])
}

function linesOfJoins(joins: ImportPreview['joins']): string[] {
  if (joins.length === 0) return []
  const rows = joins.map(({ kind, joined, for_review }) => [
    kind,
    String(joined),
    String(for_review),
  ])
  return ['', ...table([['kind', 'would be joined', 'would be listed for review'], ...rows])]
}

/** Adds the English text to each remark, for JSON. */
export const withRemarkTexts = <Result extends { remarks: Remark[] }>(result: Result) => ({
  ...result,
  remarks: result.remarks.map(({ count, example, ...remark }) => ({
    remark: textOfRemark('en', remark),
    count,
    example,
  })),
})

export function linesOfRemarks(remarks: Remark[]): string[] {
  const lines = remarks.map(
    ({ count, example, ...remark }) =>
      `  ${count} × ${printable(textOfRemark('en', remark))}${example ? ` (for example ${printable(example)})` : ''}`,
  )
  return lines.length > 0 ? ['', 'Remarks:', ...lines] : []
}

function linesOfExamples(heading: string, examples: Example[]): string[] {
  if (examples.length === 0) return []
  const lines = examples.map(({ kind, external_id, title, same_as }) => {
    const named = title === null ? '' : ` ${title}`
    return `  ${printable(`${kind} ${external_id}${named}${same_as === undefined ? '' : ` (${same_as})`}`)}`
  })
  return ['', `${heading}${examples.length < MAX_EXAMPLES ? '' : ', for example'}:`, ...lines]
}
