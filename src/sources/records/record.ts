import type { ImportRemark } from './import-remark.ts'
import type { Database } from '../../db/database.ts'
import type { OnRows } from './progress.ts'
import type { RecordFields } from './record-fields.ts'
import type { RecordKind } from './record-kinds.ts'
import type { RecordLinks } from './record-links.ts'
import { SOURCE_NAMES, type LinkedSiteName, type SourceName } from '../registry.ts'

/**
 * One thing as described by a source, in our own field names. Every importer produces this type. A record states only
 * what its source knows. A field that is null, `''`, `[]` or missing leaves the value to the next source
 * (`SOURCE_RANK`).
 */
export type SourceRecord = { [Kind in RecordKind]: RecordOf<Kind> }[RecordKind]

type RecordOf<Kind extends RecordKind> = {
  kind: Kind
  /** Id at the source, unique within source and kind: `v4`, `13`, `name:小学館`. */
  external_id: string
  /** Ids of the same thing in other sources, as stated by an id or a link. Similar titles are not evidence. */
  same_as?: SameAs[]
  /**
   * UUID derived from all data that the record was made from. Records of a source with the same hash are equal. If the
   * hash is missing, the documents are hashed.
   */
  hash?: string
  fields: Stated<RecordFields[Kind]>
  links?: Kind extends keyof RecordLinks ? Partial<RecordLinks[Kind]> : Record<string, never>
}

type Stated<Fields> = { [Name in keyof Fields]?: Fields[Name] | null | undefined }

/** Source of a record. `local` marks values set by hand. */
export type Source = 'local' | SourceName
/** Sources in order of priority, highest first. The priority applies per field and per list. */
export const SOURCE_RANK: readonly Source[] = ['local', ...SOURCE_NAMES]

/** Id of the same thing elsewhere. An ISBN (13 digits) identifies a single volume; ISBNs of sets are not used. */
export type SameAs = { source: Source | LinkedSiteName | 'wikidata' | 'isbn'; external_id: string }

/** Collects remarks for the operator about rows that an importer skipped or read differently. */
export type ImportReport = {
  /** Counts one occurrence of a remark. Equal remarks become one line in the summary, with an example. */
  note(remark: ImportRemark, example?: string): void
}

/** Reads the records of a source. Dump readers may stage tables in the import's transaction. */
export type ReadRecords = (
  report: ImportReport,
  trx: Database,
  onRows?: OnRows,
) => AsyncIterable<SourceRecord>
