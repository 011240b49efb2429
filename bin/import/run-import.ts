import type { Database } from '../../src/db/database.ts'
import { ShrinkError } from '../../src/curation/guard/shrink-error.ts'
import { importSource, type SourceImportOptions } from '../../src/curation/import-source.ts'
import type { RecordCounts } from '../../src/curation/load-records.ts'
import { previewImport } from '../../src/curation/preview.ts'
import { describeImport, ImportBusyError } from '../../src/curation/runs/import-lock.ts'
import { findLastDone } from '../../src/curation/runs/list-queries.ts'
import type { OpenSource } from '../../src/curation/sources.ts'
import { Failure } from '../failure.ts'
import { showProgress } from './import-progress.ts'
import { linesOfPreview, linesOfSummary, withRemarkTexts } from './import-summary.ts'
import type { PrintOptions } from '../print.ts'
import type { SourceName } from '../../src/sources/registry.ts'

/** Exit statuses for scripts, for an import that did not run. The others are in bin/run.ts. */
const EXIT = { wouldShrink: 3, isBusy: 4 } as const

export type RunOptions = PrintOptions & {
  allowShrink?: ReadonlySet<string> | true
  dryRun?: boolean
  /** False with `--no-wait`. */
  wait?: boolean
}

/** Output from an import. */
export type RunResult = {
  value: object
  lines: string[]
  /** After a dry run: the error with which the import would be refused. */
  refusal?: unknown
}

/**
 * Imports an opened dump, or previews the import, with progress on standard error.
 *
 * @throws {Failure} with a separate exit status if the import is refused, or if another import is running and `wait`
 * is false
 */
export async function runImport(
  db: Database,
  source: SourceName,
  opened: OpenSource,
  options: RunOptions,
): Promise<RunResult> {
  const { json = false, allowShrink, dryRun = false, wait = true } = options
  const progress = json
    ? undefined
    : showProgress({
        name: source,
        write: (text) => process.stderr.write(text),
        isTerminal: process.stderr.isTTY,
      })
  const last = await findLastDone(db, source)
  progress?.expect(last && { records: recordsOf(last.kinds), phaseSeconds: last.phase_seconds })
  const importOptions: SourceImportOptions = {
    isWhole: opened.isWhole,
    allowShrink: allowShrink === true ? 'all' : (allowShrink ?? new Set()),
    dump: await opened.facts(),
    onProgress: (item) => progress?.update(item),
    whenBusy: wait ? 'wait' : 'refuse',
    onWait: (other) => process.stderr.write(`Waiting: ${describeImport(other)} is running.\n`),
  }
  try {
    if (!dryRun) {
      const summary = await importSource(db, source, opened.records, {
        ...importOptions,
        checksum: await opened.checksum((done) =>
          progress?.update({ phase: 'checking', done, total: undefined, unit: 'rows' }),
        ),
        dependencies: opened.dependencies,
      }).finally(() => progress?.end())
      return { value: withRemarkTexts(summary), lines: linesOfSummary(summary) }
    }
    const preview = await previewImport(db, source, opened.records, importOptions).finally(() =>
      progress?.end(),
    )
    const refused = preview.shrinks.filter(
      ({ what }) => allowShrink !== true && allowShrink?.has(what) !== true,
    )
    return {
      value: {
        ...withRemarkTexts(preview),
        dry_run: true,
        dump: importOptions.dump,
        refused: refused.length > 0,
      },
      lines: linesOfPreview(preview),
      ...(refused.length > 0 && { refusal: explainRefusal(new ShrinkError(source, refused)) }),
    }
  } catch (error) {
    throw explainRefusal(error)
  }
}

/** Number of records an import has read. */
const recordsOf = (kinds: RecordCounts[]) =>
  kinds.reduce(
    (sum, { created, joined = 0, changed, unchanged, returned }) =>
      sum + created + joined + changed + unchanged + returned,
    0,
  )

function explainRefusal(error: unknown): unknown {
  if (error instanceof ShrinkError)
    return new Failure(error.message, { exitStatus: EXIT.wouldShrink, cause: error })
  if (error instanceof ImportBusyError)
    return new Failure(error.message, { exitStatus: EXIT.isBusy, cause: error })
  return error
}
