/**
 * What exactly a refused request did not meet: as the program says it in English, in Japanese and in Chinese. `{0}`, `{1}`
 * stand for what differs from one request to the next. Of two that fit the earlier is meant.
 */
export type DetailWords = readonly [english: string, japanese: string, chinese: string]
