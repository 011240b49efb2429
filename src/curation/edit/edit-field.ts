import { closest, distance } from 'fastest-levenshtein'
import { sql } from 'kysely'
import type { EntryKind } from '../../catalog/kinds.ts'
import type { Database } from '../../db/database.ts'
import { createValueCheck } from '../../http/wire/requests/validation.ts'
import { changeEntries, requireEntry, type AfterChange } from '../merge/merge-entries.ts'
import { EntryRefusedError } from '../merge/entry-refusal.ts'
import { FIELD_SCHEMAS } from './field-schemas.ts'
import { showEntry, type ShownField } from './show-entry.ts'

/** Validators by schema. Fields share schemas. */
const CHECKS: ReadonlyMap<object, ReturnType<typeof createValueCheck>> = new Map(
  Object.values(FIELD_SCHEMAS).flatMap((schemas) =>
    Object.values(schemas).map((schema) => [schema, createValueCheck(schema)] as const),
  ),
)

export type EntryField = { kind: EntryKind; id: number; field: string }

/**
 * Parses a value typed by the operator: text unchanged, everything else as JSON.
 *
 * @throws {EntryRefusedError} if there is no such field, or the value does not fit
 */
export function parseField({ kind, field }: Omit<EntryField, 'id'>, typed: string): unknown {
  const schemas: Record<string, object> = FIELD_SCHEMAS[kind]
  const schema = Object.hasOwn(schemas, field) ? schemas[field] : undefined
  const check = schema && CHECKS.get(schema)
  if (!schema || !check) {
    const names = Object.keys(schemas).toSorted()
    const nearest = closest(field, names)
    throw new EntryRefusedError(
      distance(field, nearest) <= 2
        ? { code: 'field.misspelled', params: { kind, field, nearest } }
        : { code: 'field.missing', params: { kind, field, fields: names.join(', ') } },
    )
  }
  const value = valueIn(field, schema, typed)
  const fault = check(field, value)
  if (fault) throw new EntryRefusedError({ code: 'field.invalid', fault })
  return value
}

/** @throws {EntryRefusedError} if a list or an object is not JSON; for other types the schema has a better message */
function valueIn(field: string, schema: object, typed: string): unknown {
  const type = 'type' in schema ? schema.type : undefined
  const text = typed.toWellFormed().replaceAll('\0', '')
  if (type === 'string') return text
  try {
    return JSON.parse(typed)
  } catch {
    if (type !== 'array' && type !== 'object') return text
    throw new EntryRefusedError({ code: `field.not_${type}`, params: { field } })
  }
}

/** `done` is true if the stored value changed. `before` is the previous value set by hand, if any. */
export type EditOutcome = EntryField & { done: boolean; before?: unknown }

export type FieldState = Pick<ShownField, 'value' | 'locked'>

type EditHooks = {
  /** Throws to reject the current state. Other edits of entries wait until the transaction ends. */
  check?: (current: FieldState | undefined) => void
  afterChange?: AfterChange<EditOutcome>
}

/**
 * Sets a field by hand. The value overrides all sources until it is unset.
 *
 * @param value result of `parseField`
 * @throws {EntryRefusedError} if there is no such entry
 */
export function setField(
  db: Database,
  target: EntryField,
  value: unknown,
  { check, afterChange }: EditHooks = {},
): Promise<EditOutcome> {
  const set = async (trx: Database) => {
    check?.(await findShownField(trx, target))
    return setIn(trx, target, value)
  }
  return changeEntries(db, set, afterChange)
}

async function findShownField(trx: Database, { kind, id, field }: EntryField) {
  const { fields } = await showEntry(trx, kind, id)
  return fields.find((item) => item.field === field)
}

/**
 * Sets a field by hand to a value that is computed in the transaction.
 *
 * @param valueAfter receives the current value set by hand, if any, and returns the new value
 * @throws {EntryRefusedError} if there is no such entry
 */
export function restoreField(
  db: Database,
  target: EntryField,
  valueAfter: (trx: Database, current: unknown) => Promise<unknown>,
  afterChange?: AfterChange<EditOutcome>,
): Promise<EditOutcome> {
  const restorePrevious = async (trx: Database) =>
    setIn(trx, target, await valueAfter(trx, await findSetByHand(trx, target)))
  return changeEntries(db, restorePrevious, afterChange)
}

async function setIn(trx: Database, target: EntryField, value: unknown): Promise<EditOutcome> {
  const { kind, id, field } = target
  await requireEntry(trx, kind, id)
  const before = await findSetByHand(trx, target)
  const { rows } = await sql`
    insert into source_records as known (source, kind, external_id, entry_id, fields)
    values ('local', ${kind}, ${`entry:${id}`}, ${id}, ${JSON.stringify({ [field]: value })}::jsonb)
    on conflict (source, kind, external_id) do update
      set fields = known.fields || excluded.fields, imported_at = now()
      where known.fields -> ${field} is distinct from excluded.fields -> ${field}
    returning 1`.execute(trx)
  return queueEdit(trx, target, rows.length > 0, before)
}

/**
 * Returns the value of a field that is set by hand. The entry's own value takes precedence over the values of merged
 * entries.
 */
async function findSetByHand(trx: Database, { kind, id, field }: EntryField): Promise<unknown> {
  const { rows } = await sql<{ value: unknown }>`
    select fields -> ${field}::text as value
    from source_records record
    where kind = ${kind} and entry_id = ${id} and is_local_edit(record) and fields ? ${field}
    order by external_id = ${`entry:${id}`} desc, external_id
    limit 1`.execute(trx)
  return rows[0]?.value
}

/**
 * Clears a field, so that the sources determine its value again.
 *
 * @throws {EntryRefusedError} if there is no such entry
 */
export function unsetField(
  db: Database,
  target: EntryField,
  { check, afterChange }: EditHooks = {},
): Promise<EditOutcome> {
  const { kind, id, field } = target
  const unset = async (trx: Database) => {
    await requireEntry(trx, kind, id)
    check?.(await findShownField(trx, target))
    const before = await findSetByHand(trx, target)
    const { rows } = await sql`
      update source_records record set fields = fields - ${field}::text, imported_at = now()
      where kind = ${kind} and entry_id = ${id} and is_local_edit(record) and fields ? ${field}
      returning 1`.execute(trx)
    await sql`
      delete from source_records record
      where kind = ${kind} and entry_id = ${id} and is_local_edit(record) and fields = '{}'`.execute(
      trx,
    )
    return queueEdit(trx, target, rows.length > 0, before)
  }
  return changeEntries(db, unset, afterChange)
}

async function queueEdit(
  trx: Database,
  target: EntryField,
  done: boolean,
  before: unknown,
): Promise<EditOutcome> {
  if (done)
    await sql`
      insert into changed_entries values (${target.kind}, ${target.id}) on conflict do nothing`.execute(
      trx,
    )
  return { ...target, done, ...(before !== undefined && { before }) }
}
