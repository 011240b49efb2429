/** What the OpenAPI document says in English, in another language. */
export type ReferenceWords = {
  /** By the name of the tag. */
  tags: Record<string, { name: string; text: string }>
  /** Summaries, by operationId. */
  operations: Record<string, string>
  /** Descriptions and messages by what they are in English, a table for each subject. */
  texts: Record<string, string>[]
}
