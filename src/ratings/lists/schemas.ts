import { Type, type Static } from 'typebox'
import {
  Closed,
  Id,
  Named,
  NullableText,
  ObjectOf,
  Ref,
  StringEnum,
} from '../../http/wire/schemas.ts'
import { KINDS, WORK_KINDS } from '../../catalog/kinds.ts'
import { OpenEntityRefDto } from '../../catalog/schemas.ts'
import { WorkType, workTypeOf } from '../../catalog/work-types.ts'
import { exportedProgress } from '../progress/schemas.ts'
import { ratingWithWork } from '../own/schemas.ts'
import { CHOSEN_WORKS_PATTERN, MAX_CHOSEN } from './imports/chosen-works.ts'
import { ROW_OUTCOMES } from './imports/outcome.ts'
import { MAX_PLAIN_ROWS } from './imports/report.ts'

export const LIST_SOURCES = ['vndb', 'bangumi', 'mal', 'mokuroku'] as const
export type ListSource = (typeof LIST_SOURCES)[number]

export const FORMATS = ['json', 'csv'] as const

export const ExportQuery = Type.Object({
  format: Type.Optional(
    StringEnum(FORMATS, { title: 'ListFormat', description: '`json` by default' }),
  ),
})
export type ExportQuery = Static<typeof ExportQuery>

export const ImportQuery = Type.Object({
  source: StringEnum(LIST_SOURCES, {
    title: 'ListSource',
    description: 'Service that the file comes from',
  }),
  dry_run: Type.Optional(
    Type.Boolean({ description: 'Whether to only report what would happen; true by default' }),
  ),
  overwrite: Type.Optional(
    Type.Boolean({
      description:
        'Whether values in the file replace those of your existing ratings; false by default. Values missing in the file always stay.',
    }),
  ),
  match: Type.Optional(
    Type.String({
      pattern: CHOSEN_WORKS_PATTERN,
      examples: ['9:42,12:7'],
      description: `Works assigned to rows by hand, at most ${MAX_CHOSEN}: \`9:42,12:7\` assigns row 9 to work 42 and row 12 to work 7, regardless of their ids. Each work must be of a kind that its row can refer to.`,
    }),
  ),
})
export type ImportQuery = Static<typeof ImportQuery>

const external_ids = Type.Record(Type.String(), Type.String(), {
  description: 'Id of the work by source',
  examples: [{ vndb: 'v17', bangumi: '123' }],
})

/** Schemas of an exported rating, with the work's ids at other services. */
export const EXPORTED_RATINGS = WORK_KINDS.map((kind) =>
  Named(`Exported${KINDS[kind].singular}Rating`, {
    ...ratingWithWork(kind),
    external_ids,
    progress: Type.Optional(exportedProgress(kind)),
  }),
)

/** Schemas of exported progress in unrated works. */
export const EXPORTED_PROGRESS = WORK_KINDS.map((kind) =>
  Named(`Exported${KINDS[kind].singular}Progress`, {
    work_type: Type.Literal(workTypeOf(kind)),
    work_id: Id,
    work: Ref(OpenEntityRefDto),
    external_ids,
    progress: exportedProgress(kind),
  }),
)

const count = Type.Integer({ minimum: 0 })

const ImportedRow = Closed({
  row: Type.Integer({ minimum: 1, description: 'Number of the row, for `match`' }),
  line: Type.Optional(Type.Integer({ minimum: 1, description: 'Line number, for XML files' })),
  external_id: NullableText,
  title: Type.String({ description: 'Title in the file' }),
  outcome: StringEnum(ROW_OUTCOMES, { title: 'ImportOutcome' }),
  work_type: Type.Optional(WorkType),
  work_id: Type.Optional(Id),
  reason: Type.Optional(Type.String({ description: 'Reason why the row was not imported' })),
  changes: Type.Optional(
    Type.Record(Type.String(), Closed({ from: Type.Unknown(), to: Type.Unknown() }), {
      description: 'Old and new value by field',
    }),
  ),
  differences: Type.Optional(
    Type.Record(Type.String(), Closed({ from: Type.Unknown(), to: Type.Unknown() }), {
      description:
        'Stored values that are kept although the file has different ones, keyed by field',
    }),
  ),
})

export const RatingImportReport = Named('RatingImportReport', {
  source: StringEnum(LIST_SOURCES, { title: 'ListSource' }),
  dry_run: Type.Boolean({ description: 'True if nothing was stored' }),
  overwrite: Type.Boolean(),
  counts: ObjectOf(
    ['total', ...ROW_OUTCOMES].map((outcome) => outcome.toLowerCase()),
    count,
  ),
  remarks: Type.Array(Closed({ remark: Type.String(), count }), {
    description: 'Content that the import ignores, with the number of rows',
  }),
  rows: Type.Array(ImportedRow, {
    description: `All rows that were not imported, and the first ${MAX_PLAIN_ROWS} others, in the order of the file`,
  }),
  rows_left_out: count,
})
