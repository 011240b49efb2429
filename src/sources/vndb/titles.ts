/** A name of a novel or character in one language; `official` is false also where nobody knows. */
export type Title = { lang: string; official: boolean; title: string; latin: string | null }
