import assert from 'node:assert/strict'
import { ConfigError, readConfig } from '../../src/config/config.ts'

/** Returns the error lines for an invalid environment. */
export function settingFaults(environment: NodeJS.ProcessEnv): string[] {
  try {
    readConfig(environment)
  } catch (error) {
    assert.ok(error instanceof ConfigError)
    return error.message.split('\n')
  }
  return []
}
