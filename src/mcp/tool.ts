import type { TObject } from 'typebox'
import { Type } from 'typebox'
import { KINDS, type EntryKind, WORK_KINDS } from '../catalog/kinds.ts'
import { Id, StringEnum } from '../http/wire/schemas.ts'

/** Sends a request to the API for the caller of the tool. Values that are undefined are omitted from the query. */
export type CallApi = <Data = Record<string, unknown>>(request: {
  method?: 'GET' | 'PUT' | 'DELETE'
  path: string
  query?: Record<string, unknown>
  body?: object
}) => Promise<Data>

export type ToolContext = {
  api: CallApi
  /** Account id of the user; undefined for application tokens. */
  accountId: string | undefined
  /** Key that signs undo tokens. */
  undoKey: string
}

/** Validated arguments of a tool. */
// oxlint-disable-next-line typescript/no-explicit-any -- the input schema of the tool determines the type
type Arguments = any

/** One tool. Its schemas describe what an agent sends and receives. */
export type Tool = {
  title: string
  description: string
  /** Scope that the token needs. */
  scope: string
  input: TObject
  output: TObject
  /** True for tools that change the user's data. */
  writes?: boolean
  run: (input: Arguments, context: ToolContext) => Promise<Record<string, unknown>>
}

/** Failure of a tool that the agent can read and act on. */
export class ToolError extends Error {
  override name = 'ToolError'
  /** Code of the API's error, such as `COMMON_NOT_FOUND`. */
  readonly code: string

  constructor(code: string, message: string) {
    super(message)
    this.code = code
  }
}

/** Converts the error for a missing resource to null. */
export function nullIfMissing(error: unknown): null {
  if (error instanceof ToolError && error.code === 'COMMON_NOT_FOUND') return null
  throw error
}

/** Arguments that identify a work. */
export const WORK = {
  kind: StringEnum(WORK_KINDS, { description: 'Kind of the work' }),
  id: { ...Id, description: 'Id of the work in this catalog' },
}
export type WorkArguments = { kind: (typeof WORK_KINDS)[number]; id: number }

/** Returns the last segment of the path of a kind's list. */
export const kindPathOf = (kind: EntryKind) => KINDS[kind].path

/** Returns the last two segments of an entry's path. */
export const entryPathOf = ({ kind, id }: { kind: EntryKind; id: number }) =>
  `${kindPathOf(kind)}/${id}`

/** An object whose fields the API documents. */
export const Open = (properties: TObject['properties'] = {}, description?: string) =>
  Type.Object(properties, {
    additionalProperties: true,
    ...(description !== undefined && { description }),
  })
