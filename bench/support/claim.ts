import type { Result } from './report.ts'
import type { Stage } from './stage.ts'

/** One or more rows of the report that are measured together. */
export type Claim = {
  /** Name on the command line. */
  name: string
  measure(stage: Stage): Promise<Result[]>
}
