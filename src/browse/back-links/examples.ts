/** Answers of the bundled sample, shortened; a test holds them against it. */

export const PERSON_WORKS = {}
export const PRODUCER_WORKS = {}
export const CHARACTER_WORKS = {}
