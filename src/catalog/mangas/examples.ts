import { exampleRef as ref } from '../example-parts.ts'
import { examplesOf } from '../fields/field.ts'
import { MANGA_FIELDS, MANGA_VOLUME_FIELDS } from '../fields/manga.ts'
import { WORK_ANSWER } from '../fields/shared.ts'

/** Answers of the bundled sample, shortened; a test holds them against it. */

export const MANGA_EXAMPLE = { ...examplesOf(MANGA_FIELDS), ...examplesOf(WORK_ANSWER) }

export const MANGA_VOLUMES_EXAMPLE = [examplesOf(MANGA_VOLUME_FIELDS)]

export const MANGA_PEOPLE_EXAMPLE = [{ role: 'AUTHOR', note: '', person: ref(476, '荒川弘') }]

export const MANGA_PRODUCERS_EXAMPLE = [
  { role: 'PUBLISHER', note: '', producer: ref(129, 'スクウェア・エニックス') },
  { role: 'MAGAZINE', note: '', producer: ref(130, '月刊少年ガンガン') },
]

export const MANGA_CHARACTERS_EXAMPLE = [
  { role: 'MAIN', character: ref(163, 'エドワード・エルリック', '爱德华·艾尔利克') },
]
