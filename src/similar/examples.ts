/** Answers of the bundled sample, shortened; a test holds them against it. */

export const SIMILAR_EXAMPLES = { galgame: {}, light_novel: {}, manga: {} }
