import type { SourceRecord } from '../../src/sources/records/record.ts'
import { sourceRecords } from './source-records.ts'

const { galgame, person, staff } = sourceRecords

const numbers = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, index) => from + index)
const work = (number: number, intro: string) =>
  galgame(`v${number}`, { origin_intro: intro }, staff(`s${number}`, `s${number * 10}`))

/** Two dumps of one source, the second a week later, with added, changed and removed records. */
export const FIRST_DUMP: SourceRecord[] = [
  ...numbers(1, 100).map((number) => person(`s${number}`)),
  ...numbers(1, 20).map((number) => work(number, 'old')),
]
export const SECOND_DUMP: SourceRecord[] = [
  ...numbers(5, 540).map((number) => person(`s${number}`, number < 60 ? { intro: 'New.' } : {})),
  ...numbers(2, 25).map((number) => work(number, number % 2 === 0 ? 'old' : 'new')),
]
