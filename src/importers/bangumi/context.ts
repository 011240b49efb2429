import type { ImportReport } from '../record.ts'
import type { ArchiveImages, ArchiveLinks } from './links.ts'
import type { NameBook } from './name-book.ts'
import type { SubjectPlan } from './plan.ts'

/** What mapping a row takes besides the row. `today` is `YYYY-MM-DD`: what is dated later is not out yet. */
export type Context = {
  plan: SubjectPlan
  /** Of the subjects that are mapped at the moment. */
  links: ArchiveLinks
  images: ArchiveImages
  names: NameBook
  report: ImportReport
  today: string
}
