import type { StoredProducerType } from '../../catalog/enums.ts'
import type { Dependencies } from '../dump/dependencies.ts'
import type { ImportReport } from '../records/record.ts'
import type { ArchiveImages, ArchiveLinks } from './archive/links.ts'
import type { CreditedNames } from './archive/credited-names.ts'
import type { Classification } from './books/classify-subjects.ts'

/**
 * Data that mapping needs in addition to the row. `classification`, `links`, `images` and `producerTypes` cover the
 * current batch.
 */
export type Context = {
  classification: Classification
  links: ArchiveLinks
  images: ArchiveImages
  /** Type that works use most often, keyed by producer. */
  producerTypes: ReadonlyMap<number, StoredProducerType>
  names: CreditedNames
  report: ImportReport
  dependencies: Dependencies
}
