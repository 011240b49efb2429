import type { ProducerType } from '../../catalog/enums.ts'
import type { ImportReport } from '../record.ts'
import type { ArchiveImages, ArchiveLinks } from './links.ts'
import type { NameBook } from './name-book.ts'
import type { SubjectPlan } from './plan.ts'

/**
 * What mapping a row takes besides the row. Plan, links, images and types are those of the rows that are mapped at the moment.
 * `today` is `YYYY-MM-DD`: what is dated later is not out yet.
 */
export type Context = {
  plan: SubjectPlan
  links: ArchiveLinks
  images: ArchiveImages
  /** As what works name a producer most often. */
  producerTypes: ReadonlyMap<number, ProducerType>
  names: NameBook
  report: ImportReport
  today: string
}
