import type { Result } from './report.ts'
import type { Stage } from './stage.ts'

/** One or more rows of the report that are measured together. */
export type Claim = {
  /** What it is called on the command line. */
  name: string
  measure(stage: Stage): Promise<Result[]>
}
