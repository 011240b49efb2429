import type { ImportRemark } from '../records/import-remark.ts'

/** @param what as the remark's branches name it */
export const passedOver = (what: string): ImportRemark => ({
  code: 'passed_over',
  params: { what, type: '' },
})
