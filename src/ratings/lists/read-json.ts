import { setImmediate } from 'node:timers/promises'
import { decodeUtf8, fileFault, utf8Decoder } from './file-fault.ts'

/** What a JSON file holds. @throws {ApiError} `COMMON_VALIDATION_FAILED` saying where it is none */
export async function readJson(bytes: Buffer): Promise<unknown> {
  const text = decodeUtf8(utf8Decoder(), bytes, true)
  await setImmediate()
  try {
    return JSON.parse(text)
  } catch (error) {
    throw fileFault(`is not valid JSON: ${error instanceof Error ? error.message : String(error)}`)
  }
}

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
