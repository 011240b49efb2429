import { textOfRemark, type Remark } from '../../src/curation/remarks.ts'

/** Remarks as the command line prints them. */
export const inEnglish = (remarks: readonly Remark[]) =>
  remarks.map(({ count, example, ...remark }) => ({
    remark: textOfRemark('en', remark),
    count,
    example,
  }))
