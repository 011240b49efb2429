import type { ImportRemark } from './import-remark.ts'
import type { Database } from '../../db/database.ts'
import type { OnRows } from './progress.ts'
import type { RecordFields } from './record-fields.ts'
import type { RecordKind } from './record-kinds.ts'
import type { RecordLinks } from './record-links.ts'
import { SOURCE_NAMES, type LinkedSiteName, type SourceName } from '../registry.ts'

/**
 * What a source says about one thing, in our own field names: the one type every importer produces and the
 * only one the writer takes.
 *
 * A record says only what its source knows. A field that is null, `''`, `[]` or missing says nothing, and
 * leaves the word to the next source (`SOURCE_RANK`).
 */
export type SourceRecord = { [Kind in RecordKind]: RecordOf<Kind> }[RecordKind]

type RecordOf<Kind extends RecordKind> = {
  kind: Kind
  /** The source's id, unique within source and kind: `v4`, `13`, `name:小学館`. */
  external_id: string
  /** The same thing in other sources, where that is a fact and not a guess (an id link, never a similar title). */
  same_as?: SameAs[]
  /** Of all that the record was made of, a uuid: of one source, two with the same hash say the same. Else its documents are hashed. */
  hash?: string
  fields: Stated<RecordFields[Kind]>
  links?: Kind extends keyof RecordLinks ? Partial<RecordLinks[Kind]> : Record<string, never>
}

type Stated<Fields> = { [Name in keyof Fields]?: Fields[Name] | null | undefined }

/** Source of a record; `local` marks values set by hand. */
export type Source = 'local' | SourceName
/** Sources in the order in which they are believed, field by field and list by list. */
export const SOURCE_RANK: readonly Source[] = ['local', ...SOURCE_NAMES]

/**
 * Id of the same thing elsewhere. An ISBN identifies a single volume (13 digits); the ISBN of a set of volumes is not
 * used.
 */
export type SameAs = { source: Source | LinkedSiteName | 'wikidata' | 'isbn'; external_id: string }

/** What an importer tells its operator besides the records: rows it left out or read differently, and why. */
export type ImportReport = {
  /** Counts one occurrence of a remark; equal ones are one line in the summary, with an example. */
  note(remark: ImportRemark, example?: string): void
}

/** Reads what a source says. What reads a dump may stage its tables in the transaction of the import. */
export type ReadRecords = (
  report: ImportReport,
  trx: Database,
  onRows?: OnRows,
) => AsyncIterable<SourceRecord>
