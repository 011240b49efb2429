import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseEnv } from 'node:util'
import { ConfigError, readConfig } from './config.ts'
import { findGivenSetting } from './setting.ts'
import { settingsWith } from './settings.ts'

export type EffectiveSetting = {
  name: string
  /** Undefined if the setting is unset, invalid or secret. */
  value: string | undefined
  isSecret: boolean
  isSet: boolean
  source: 'default' | 'environment' | '.env' | 'file'
  /** Path in `NAME_FILE`, if the source is a file. */
  file?: string
}

/** Returns the variables of `.env`; empty if there is no such file. */
export function readEnvFile(folder = '.'): NodeJS.Dict<string> {
  const file = join(folder, '.env')
  return existsSync(file) ? parseEnv(readFileSync(file, 'utf8')) : {}
}

/**
 * Lists every setting with its effective value and its source, in the order of the documentation. Secrets are never
 * part of it.
 *
 * @param environment includes the variables of `.env`
 */
export function listEffectiveSettings(
  environment: NodeJS.ProcessEnv,
  folder = '.',
): EffectiveSetting[] {
  const envFile = readEnvFile(folder)
  const derived = derivedValues(environment)
  return [...settingsWith(environment['UPSTREAM_PROVIDERS'])].map(([name, setting]) => {
    const given = findGivenSetting(name, setting, environment)
    const isSecret = setting.secret !== undefined
    if ('fault' in given)
      return { name, value: undefined, isSecret, isSet: true, source: 'file' as const }
    const text = given.text ?? derived[name]
    const common = { name, isSecret, isSet: text !== undefined }
    const value = isSecret || text === undefined ? undefined : withoutCredentials(text)
    if (given.source === 'file') return { ...common, value, source: 'file', file: given.file }
    const isOfEnvFile = given.source === 'environment' && envFile[name] === given.text
    return { ...common, value, source: isOfEnvFile ? '.env' : given.source }
  })
}

/** Lists the files that hold secrets, from the `NAME_FILE` settings. */
export const listSecretFiles = (environment: NodeJS.ProcessEnv): string[] =>
  [...settingsWith(environment['UPSTREAM_PROVIDERS'])].flatMap(([name, { secret }]) => {
    const file = secret === undefined ? undefined : environment[`${name}_FILE`]
    return file ? [file] : []
  })

/** Returns the defaults that depend on other settings; none if a setting is invalid. */
function derivedValues(environment: NodeJS.ProcessEnv): Record<string, string> {
  try {
    const { authUrl, apiUrl, baseUrl, contact } = readConfig(environment)
    return { AUTH_URL: authUrl, API_URL: apiUrl, BASE_URL: baseUrl, CONTACT: contact }
  } catch (error) {
    if (error instanceof ConfigError) return {}
    throw error
  }
}

/** Replaces the user and password of a URL. Settings that may hold them by accident are not marked as secrets. */
const withoutCredentials = (text: string) => text.replaceAll(/(?<=:\/\/)[^/?#\s@]*@/g, '…@')
