/** Whether a value read from JSON is an object: neither null nor a list. */
export const isJsonObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Returns `undefined` if the text is not a JSON object. */
export function parseJsonObject(text: string): Record<string, unknown> | undefined {
  try {
    const json: unknown = JSON.parse(text)
    return isJsonObject(json) ? json : undefined
  } catch {
    return undefined
  }
}
