import { READ_TOOLS } from './read-tools.ts'
import type { Tool } from './tool.ts'
import { WRITE_TOOLS } from './write-tools.ts'

/** Every tool, keyed by name. */
export const TOOLS: Record<string, Tool> = { ...READ_TOOLS, ...WRITE_TOOLS }

/** Scopes that tools use, for clients that choose what to request. */
export const TOOL_SCOPES = [
  'catalog:read',
  'catalog:full',
  'status:read',
  'status:write',
  'collection:write',
]

/** Scopes that a client without a token should request first. It requests further ones when a tool needs them. */
export const FIRST_SCOPES = ['catalog:read', 'status:read']
