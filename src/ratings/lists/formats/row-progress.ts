import { byWorkKind, type WorkKind } from '../../../catalog/kinds.ts'
import type { RequestFault } from '../../../http/wire/errors/fault.ts'
import { createFaultFinder } from '../../../http/wire/requests/validation.ts'
import type { ProgressChange, ProgressField } from '../../progress/fields.ts'
import { parseProgressChange } from '../../progress/progress-rules.ts'
import { progressChange } from '../../progress/schemas.ts'
import { remarkIgnoredFields, type ListFile } from './list-row.ts'

const FINDERS = byWorkKind((kind) => createFaultFinder(progressChange(kind), 'body'))

/** Validates progress by the rules of PUT. */
export function readRowProgress(
  kind: WorkKind,
  sent: Record<string, unknown>,
): { progress: ProgressChange; faults: RequestFault[] } {
  const faults = FINDERS[kind](sent)
  if (faults.length > 0) return { progress: {}, faults }
  const { change: progress, faults: broken } = parseProgressChange(kind, sent)
  return { progress, faults: broken }
}

/** A field of progress in a file of another service: the name of its element there, and its value here. */
export type ForeignField = readonly [name: string, field: ProgressField, value: unknown]

/** Returns the values that this service can store, and adds a remark about each of the others. */
export function keepProgress(
  file: ListFile,
  kind: WorkKind,
  fields: readonly ForeignField[],
): ProgressChange {
  const kept: ProgressChange = {}
  for (const [name, field, value] of fields) {
    const { progress, faults } = readRowProgress(kind, { [field]: value })
    if (faults.length > 0) remarkIgnoredFields(file, [name])
    else Object.assign(kept, progress)
  }
  return kept
}
