import { textOfRemark, type Remark } from '../../src/curation/remarks.ts'

/** Formats remarks like the command line. */
export const formatRemarks = (remarks: readonly Remark[]) =>
  remarks.map(({ count, example, ...remark }) => ({
    remark: textOfRemark('en', remark),
    count,
    example,
  }))
