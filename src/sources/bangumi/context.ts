import type { StoredProducerType } from '../../catalog/enums.ts'
import type { Dependence } from '../dump/dependence.ts'
import type { ImportReport } from '../records/record.ts'
import type { ArchiveImages, ArchiveLinks } from './archive/links.ts'
import type { NameBook } from './archive/name-book.ts'
import type { SubjectPlan } from './books/plan.ts'

/**
 * What mapping a row takes besides the row. Plan, links, images and types are those of the rows that are mapped at the moment.
 * What is dated later than the day of `dependence` is not out yet.
 */
export type Context = {
  plan: SubjectPlan
  links: ArchiveLinks
  images: ArchiveImages
  /** As what works name a producer most often. */
  producerTypes: ReadonlyMap<number, StoredProducerType>
  names: NameBook
  report: ImportReport
  dependence: Dependence
}
