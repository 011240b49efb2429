/** Of an advisory lock, any number, the same in every process: one at a time changes what sources say. */
export const IMPORT_LOCK = 7_301_957
