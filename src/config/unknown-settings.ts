import { closest, distance } from 'fastest-levenshtein'
import { readEnvFile } from './effective-settings.ts'
import { settingsWith } from './settings.ts'

/**
 * Returns the known names: every setting, its other names that work, and the `_FILE` variant of every secret.
 */
const knownNames = (environment: NodeJS.ProcessEnv) =>
  [...settingsWith(environment['UPSTREAM_PROVIDERS'])].flatMap(
    ([name, { secret, inLowerCase, formerName }]) => [
      name,
      ...(inLowerCase ? [name.toLowerCase()] : []),
      ...(formerName ? [formerName] : []),
      ...(secret ? [`${name}_FILE`] : []),
    ],
  )

/** Variables that Node or the remote commands read, rather than the service. */
const OTHER_VARIABLES = new Set([
  'MOKUROKU_SERVER',
  'NODE_OPTIONS',
  'NODE_ENV',
  'NODE_EXTRA_CA_CERTS',
  // Read by the trace exporter.
  'OTEL_EXPORTER_OTLP_CERTIFICATE',
  'OTEL_EXPORTER_OTLP_COMPRESSION',
  'OTEL_EXPORTER_OTLP_HEADERS',
  'TZ',
  'UV_THREADPOOL_SIZE',
  'NODE_USE_ENV_PROXY',
])

/** Variables of other programs whose names resemble a setting. */
const RESEMBLING = new Set(['FTP_PROXY', 'ftp_proxy'])

/** A name that has no effect, and the setting it resembles. */
export type UnknownSetting = { name: string; isInFile: boolean; similar: string | undefined }

/**
 * Lists settings that have no effect: every unknown name in `.env`, and every name in the environment that looks like
 * a misspelled setting. All other names in the environment are ignored, because it also holds the settings of other
 * programs.
 */
export function listUnknownSettings(
  environment: NodeJS.ProcessEnv,
  folder = '.',
): UnknownSetting[] {
  const file = readEnvFile(folder)
  const known = knownNames({ ...file, ...environment })
  const inFile = Object.keys(file).filter(
    (name) => !known.includes(name) && !OTHER_VARIABLES.has(name),
  )
  const misspelled = Object.keys(environment).filter(
    (name) =>
      !known.includes(name) &&
      !inFile.includes(name) &&
      !RESEMBLING.has(name) &&
      looksMisspelled(name, known, environment),
  )
  return [
    ...inFile.map((name) => ({ name, isInFile: true, similar: similarTo(name, known) })),
    ...misspelled.map((name) => ({ name, isInFile: false, similar: similarTo(name, known) })),
  ]
}

/** Describes each unknown setting in one line. */
export const findUnknownSettings = (environment: NodeJS.ProcessEnv, folder = '.'): string[] =>
  listUnknownSettings(environment, folder).map(
    ({ name, isInFile, similar }) =>
      `${name}${isInFile ? ' in .env' : ''} is not a setting and has no effect.${similar === undefined ? '' : ` Did you mean ${similar}?`}`,
  )

/**
 * Whether a name looks like a misspelled setting. Short names resemble each other by chance, so they must match more
 * closely. If the setting itself is also set, the similar name belongs to a different program.
 */
function looksMisspelled(name: string, known: string[], environment: NodeJS.ProcessEnv): boolean {
  const setting = closest(name, known)
  const allowed = name.length >= 9 ? 2 : name.length >= 8 ? 1 : 0
  return distance(name, setting) <= allowed && !environment[setting]
}

function similarTo(name: string, known: string[]): string | undefined {
  const setting = closest(name, known)
  return distance(name, setting) <= Math.min(3, name.length / 2) ? setting : undefined
}
