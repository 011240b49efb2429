import { hash } from 'node:crypto'
import { Type, type Static } from 'typebox'

/** Version of the format. A change that this program could not read requires a new version. */
export const FORMAT = 1

/** Size, in bytes, at which the rows of a table continue in another part. */
export const PART_BYTES = 4 * 2 ** 20
/** Maximum size of a part, in bytes, before and after compression. One row may be larger than `PART_BYTES`. */
export const MAX_PART_BYTES = 128 * 2 ** 20

const Sha256 = Type.String({ pattern: '^[0-9a-f]{64}$' })
const Name = Type.String({ pattern: '^[a-z_][a-z0-9_]{0,62}$' })
const Count = Type.Integer({ minimum: 0 })

/** First member of a backup: what it contains and which programs can restore it. */
export const Manifest = Type.Object({
  format: Type.Literal(FORMAT),
  program: Type.Literal('mokuroku'),
  version: Type.String(),
  /** Time of the snapshot. */
  taken_at: Type.String({ pattern: String.raw`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$` }),
  engine: Type.Union([Type.Literal('embedded'), Type.Literal('server')]),
  /** Version of PostgreSQL. */
  postgres: Type.String(),
  /** Migrations that made the schema, in order. */
  migrations: Type.Array(Type.Object({ name: Type.String(), hash: Sha256 }), { minItems: 1 }),
  /** Last id of the change feed; 0 if it is empty. */
  last_change: Count,
  /** An encrypted secret, which only the right `SECRET_KEY` decrypts. Null if secrets are not encrypted. */
  sealed: Type.Union([Type.Null(), Type.Object({ bound_to: Type.String(), text: Type.String() })]),
  tables: Type.Array(Type.Object({ name: Name, columns: Type.Array(Name) }), { minItems: 1 }),
})
export type Manifest = Static<typeof Manifest>

const TableSums = Type.Object({
  rows: Count,
  /** Sum of the hashes of all rows, which does not depend on their order; see `dump-queries.ts`. */
  sum: Type.String({ pattern: String.raw`^-?\d{1,40}$` }),
  /** SHA-256 of all parts together, before compression. */
  sha256: Sha256,
  parts: Type.Array(Type.Object({ rows: Count, sha256: Sha256 })),
})
export type TableSums = Static<typeof TableSums>

/** Last member of a backup. */
export const Checksums = Type.Object({
  /** SHA-256 of the manifest's text. */
  manifest: Sha256,
  tables: Type.Record(Name, TableSums),
  sequences: Type.Record(
    Name,
    Type.Object({
      last: Type.String({ pattern: String.raw`^\d{1,19}$` }),
      is_called: Type.Boolean(),
    }),
  ),
})
export type Checksums = Static<typeof Checksums>

export const MANIFEST = 'manifest.json'
export const CHECKSUMS = 'checksums.json'

/** Returns the name of a part of a table, counted from 0. */
export const partName = (table: string, part: number) => `tables/${table}/${part + 1}.copy.zst`

export const sha256 = (data: string | Uint8Array) => hash('sha256', data, 'hex')

/** Counts the rows of COPY's text format, one per line. */
export function countLines(bytes: Buffer): number {
  let rows = 0
  for (let at = bytes.indexOf(10); at !== -1; at = bytes.indexOf(10, at + 1)) rows += 1
  return rows
}
