import { Type, type Static } from 'typebox'
import { Id, Named, NullableText, StringEnum } from '../../http/wire/schemas.ts'
import { KINDS, WORK_KINDS } from '../../catalog/kinds.ts'
import { WorkType } from '../../catalog/work-types.ts'
import { ratingWithWork } from '../own/schemas.ts'
import { CHOSEN_WORKS_PATTERN, MAX_CHOSEN } from './imports/chosen-works.ts'
import { ROW_OUTCOMES } from './imports/outcome.ts'
import { MAX_PLAIN_ROWS } from './imports/report.ts'

/** Services whose exports can be imported. */
export const LIST_SOURCES = ['vndb', 'bangumi', 'mal', 'mokuroku'] as const
export type ListSource = (typeof LIST_SOURCES)[number]

export const FORMATS = ['json', 'csv'] as const

export const ExportQuery = Type.Object({
  format: Type.Optional(
    StringEnum(FORMATS, { title: 'ListFormat', description: '`json` when not sent' }),
  ),
})
export type ExportQuery = Static<typeof ExportQuery>

export const ImportQuery = Type.Object({
  source: StringEnum(LIST_SOURCES, {
    title: 'ListSource',
    description: 'The service that the file comes from',
  }),
  dry_run: Type.Optional(
    Type.Boolean({ description: 'Only say what would happen; `false` stores it' }),
  ),
  overwrite: Type.Optional(
    Type.Boolean({
      description:
        'Write what the file says over what you have recorded already; what it does not say stays. Unless it is `true` your records are kept as they are.',
    }),
  ),
  match: Type.Optional(
    Type.String({
      pattern: CHOSEN_WORKS_PATTERN,
      examples: ['9:42,12:7'],
      description: `Works that were chosen by hand, at most ${MAX_CHOSEN}: \`9:42,12:7\` says that row 9 of the file is about work 42 and row 12 about work 7, whatever their ids say. Each work must be of a kind that its row can be about.`,
    }),
  ),
})
export type ImportQuery = Static<typeof ImportQuery>

const external_ids = Type.Record(Type.String(), Type.String(), {
  description: 'Source → its id of the work',
  examples: [{ vndb: 'v17', bangumi: '123' }],
})

/** Exported ratings, with the ids of the work at other services. */
export const EXPORTED_RATINGS = WORK_KINDS.map((kind) =>
  Named(`Exported${KINDS[kind].singular}Rating`, { ...ratingWithWork(kind), external_ids }),
)

const count = Type.Integer({ minimum: 0 })

const ImportedRow = Type.Object(
  {
    row: Type.Integer({ minimum: 1, description: 'Its place in the file, for `match`' }),
    line: Type.Optional(
      Type.Integer({ minimum: 1, description: 'Its line, where the file is XML' }),
    ),
    external_id: NullableText,
    title: Type.String({ description: 'As the file has it' }),
    outcome: StringEnum(ROW_OUTCOMES, { title: 'ImportOutcome' }),
    work_type: Type.Optional(WorkType),
    work_id: Type.Optional(Id),
    reason: Type.Optional(Type.String({ description: 'Why it did not go in' })),
    changes: Type.Optional(
      Type.Record(
        Type.String(),
        Type.Object({ from: Type.Unknown(), to: Type.Unknown() }, { additionalProperties: false }),
        { description: 'Field → what it is and what it becomes' },
      ),
    ),
  },
  { additionalProperties: false },
)

/** Report of an import or of a dry run. */
export const RatingImportReport = Named('RatingImportReport', {
  source: StringEnum(LIST_SOURCES, { title: 'ListSource' }),
  dry_run: Type.Boolean({ description: 'Nothing was stored' }),
  overwrite: Type.Boolean(),
  counts: Type.Object(
    Object.fromEntries(['total', ...ROW_OUTCOMES].map((outcome) => [outcome.toLowerCase(), count])),
    { additionalProperties: false },
  ),
  remarks: Type.Array(
    Type.Object({ remark: Type.String(), count }, { additionalProperties: false }),
    { description: 'What the file holds that is not taken over, with the number of rows' },
  ),
  rows: Type.Array(ImportedRow, {
    description: `In the order of the file: every row that did not go in, and the first ${MAX_PLAIN_ROWS} others`,
  }),
  rows_left_out: count,
})
