import { Type, type TSchema } from 'typebox'
import { Closed, Nullable, NullableEnum, Id } from '../http/wire/schemas.ts'
import { STATUSES } from '../ratings/fields.ts'
import {
  Open,
  entryPathOf,
  nullIfMissing,
  ToolError,
  WORK,
  type Tool,
  type WorkArguments,
} from './tool.ts'
import { issueUndoToken, readUndoToken } from './undo-token.ts'

/** Argument that undoes an earlier call of the same tool. */
const undo = Type.Optional(
  Type.String({
    description: '`undo` from an earlier result of this tool; all other arguments are ignored',
  }),
)

/** Result of every write. */
const Written = (value: TSchema) =>
  Closed({
    changed: Type.Boolean({ description: 'False if the value was already set' }),
    previous: Nullable(value, { description: 'Previous value; null if none' }),
    current: Nullable(value, { description: 'Current value; null if none' }),
    undo: Nullable(Type.String(), {
      description: 'Pass it to this tool within a day to restore the previous value',
    }),
  })

/** Returns an argument that is optional only because `undo` replaces it. */
function required<Value>(value: Value | undefined, name: string): Value {
  if (value === undefined)
    throw new ToolError('COMMON_VALIDATION_FAILED', `\`${name}\` is required without \`undo\`.`)
  return value
}

const changedSince = () =>
  new ToolError(
    'UNDO_CONFLICT',
    'The value has changed since this call, so nothing was undone. Read it again first.',
  )

type Rating = { updated_at: string; [field: string]: unknown }
type RatingFacts = WorkArguments & {
  tool: string
  account: string | undefined
  /** Rating before the change; null if the work was not rated. */
  before: { value: unknown } | null
  value: unknown
  updatedAt: string
}

/** Returns a tool that sets one field of the user's rating. */
function ratingTool(
  name: string,
  field: 'status' | 'rate',
  value: TSchema,
  texts: Pick<Tool, 'title' | 'description'>,
): Tool {
  return {
    ...texts,
    scope: 'status:write',
    writes: true,
    input: Closed({
      kind: Type.Optional(WORK.kind),
      id: Type.Optional(WORK.id),
      [field]: Type.Optional(value),
      undo,
    }),
    output: Written(Open({ [field]: value })),
    async run(input: Partial<WorkArguments> & Record<string, unknown>, context) {
      const { api, accountId, undoKey } = context
      const ids = { tool: name, account: accountId }
      const find = (path: string) => api<Rating>({ path }).catch(nullIfMissing)
      if (typeof input['undo'] === 'string') {
        // as: this tool issued the token
        const facts = readUndoToken(undoKey, input['undo'], ids) as RatingFacts
        const path = `user/me/rates/${entryPathOf(facts)}`
        const current = await find(path)
        const shown = facts.before && { [field]: facts.before.value }
        const isDone =
          facts.before === null ? current === null : current?.[field] === facts.before.value
        if (isDone) return { changed: false, previous: shown, current: shown, undo: null }
        if (current === null || current[field] !== facts.value) throw changedSince()
        // Keeps a rating whose other fields have changed since.
        if (facts.before === null && current.updated_at === facts.updatedAt)
          await api({ method: 'DELETE', path })
        else await api({ method: 'PUT', path, body: { [field]: facts.before?.value ?? null } })
        return { changed: true, previous: { [field]: facts.value }, current: shown, undo: null }
      }
      const work = { kind: required(input.kind, 'kind'), id: required(input.id, 'id') }
      const wanted = required(input[field], field)
      const path = `user/me/rates/${entryPathOf(work)}`
      const before = await find(path)
      const previous = before && { [field]: before[field] }
      const saved = await api<Rating>({ method: 'PUT', path, body: { [field]: wanted } })
      const isChanged = before === null || before[field] !== saved[field]
      const facts: RatingFacts = {
        ...ids,
        ...work,
        before: before && { value: before[field] },
        value: saved[field],
        updatedAt: saved.updated_at,
      }
      return {
        changed: isChanged,
        previous,
        current: { [field]: saved[field] },
        undo: isChanged ? issueUndoToken(undoKey, facts) : null,
      }
    },
  }
}

type Item = { added_at: string; updated_at: string }
type ItemFacts = WorkArguments & {
  tool: string
  account: string | undefined
  collection: string
  /** Time of the last change to the item. */
  updatedAt: string
}

const ADD_TO_COLLECTION: Tool = {
  title: 'Add a work to a collection',
  description:
    "Adds a work to one of the user's collections. Does nothing if the collection already contains it.",
  scope: 'collection:write',
  writes: true,
  input: Closed({
    kind: Type.Optional(WORK.kind),
    id: Type.Optional(WORK.id),
    collection: Type.Optional({
      ...Id,
      description: "Id of a collection; by default the user's default one",
    }),
    undo,
  }),
  output: Written(Open({ collected: Type.Boolean() })),
  async run(
    input: Partial<WorkArguments> & { collection?: number; undo?: string },
    { api, accountId, undoKey },
  ) {
    const ids = { tool: 'add_to_collection', account: accountId }
    const itemOf = (collection: string, work: WorkArguments) =>
      `user/me/collections/${collection}/items/${entryPathOf(work)}`
    const find = (path: string) => api<Item>({ path }).catch(nullIfMissing)
    const was = (isThere: boolean) => ({ collected: isThere })
    if (input.undo !== undefined) {
      // as: this tool issued the token
      const facts = readUndoToken(undoKey, input.undo, ids) as ItemFacts
      const path = itemOf(facts.collection, facts)
      const item = await find(path)
      const isThere = item !== null
      if (isThere && item.updated_at !== facts.updatedAt) throw changedSince()
      if (isThere) await api({ method: 'DELETE', path })
      return { changed: isThere, previous: was(isThere), current: was(false), undo: null }
    }
    const work = { kind: required(input.kind, 'kind'), id: required(input.id, 'id') }
    const collection = String(input.collection ?? 'default')
    const path = itemOf(collection, work)
    const isThere = (await find(path)) !== null
    const added = isThere ? undefined : await api<Item>({ method: 'PUT', path })
    return {
      changed: !isThere,
      previous: was(isThere),
      current: was(true),
      undo: added
        ? issueUndoToken(undoKey, { ...ids, ...work, collection, updatedAt: added.updated_at })
        : null,
    }
  },
}

/** Tools that change the user's data. Each can be repeated, and undone with the same tool. */
export const WRITE_TOOLS: Record<string, Tool> = {
  set_status: ratingTool(
    'set_status',
    'status',
    NullableEnum(STATUSES, {
      description: 'PLAN planned, GOING in progress, COMPLETED, ON_HOLD, DROPPED; null for none',
    }),
    {
      title: "Set the user's status of a work",
      description: "Sets the user's status of a work, and keeps their scores and review.",
    },
  ),
  rate: ratingTool(
    'rate',
    'rate',
    Nullable(
      Type.Number({
        minimum: 1,
        maximum: 10,
        description: 'Score with at most one decimal; null removes it',
      }),
    ),
    {
      title: 'Rate a work',
      description: "Sets the user's overall score of a work, and keeps their status and review.",
    },
  ),
  add_to_collection: ADD_TO_COLLECTION,
}
