/** Merge of two works. */
export type WorkMerge = { id: number; kind: string; from: number; into: number }
