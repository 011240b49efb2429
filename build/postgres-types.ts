type Use = 'parameter' | 'column'

/** `score` is a domain of the schema. */
const NUMBERS = ['int2', 'int4', 'int8', 'numeric', 'float4', 'float8', 'oid', 'score']
const STRINGS = [
  'text',
  'char',
  'varchar',
  'name',
  'uuid',
  'date',
  'void',
  'regclass',
  'pg_snapshot',
  'xid8',
]

/** TypeScript types of PostgreSQL types, as read and written by `src/db/server/type-parsers.ts` and pg. */
const TYPES: Record<string, string> = {
  ...Object.fromEntries(NUMBERS.map((name) => [name, 'number'])),
  ...Object.fromEntries(STRINGS.map((name) => [name, 'string'])),
  bool: 'boolean',
  timestamp: 'Date',
  timestamptz: 'Date',
  bytea: 'Uint8Array',
}

/** @param name as in `pg_type`; array types start with `_` */
export function typescriptOf(name: string, use: Use): string {
  if (name.startsWith('_'))
    return `${use === 'parameter' ? 'readonly ' : ''}(${typescriptOf(name.slice(1), use)} | null)[]`
  if (use === 'parameter' && (name === 'json' || name === 'jsonb')) return 'string'
  return TYPES[name] ?? 'unknown'
}
