import { readFileSync } from 'node:fs'

/** Setting from the environment: its parser, default and description. */
export type Setting<Value> = {
  /** @throws {Error} whose message completes "NAME must be …" */
  read: (text: string) => Value
  /** Default value, as written in the environment; `undefined` if the setting is optional. */
  default: string | undefined
  /** One sentence for `.env.example` and `docs/operations.md`. */
  about: string
  /**
   * Whether the value, or the `password` within it, is secret. Secrets are never printed, and may be read from the file in
   * `NAME_FILE`.
   */
  secret?: 'whole' | 'password'
  /** Whether the name in lower case also works, as in curl. The name in upper case takes precedence. */
  inLowerCase?: true
  /** Earlier name, which also works. The present name takes precedence. */
  formerName?: string
}

/** Text of a setting with its origin, or why it cannot be read. `file` is the file named by `NAME_FILE`. */
export type GivenSetting =
  | { text: string | undefined; source: 'default' | 'environment' }
  | { text: string; source: 'file'; file: string }
  | { fault: string }

/** Reads the text of a setting from the environment, from the file in `NAME_FILE`, or from its default. */
export function findGivenSetting(
  name: string,
  setting: Setting<unknown>,
  environment: NodeJS.ProcessEnv,
): GivenSetting {
  const given =
    environment[name] ||
    (setting.inLowerCase && environment[name.toLowerCase()]) ||
    (setting.formerName && environment[setting.formerName]) ||
    undefined
  const file = (setting.secret && environment[`${name}_FILE`]) || undefined
  if (file === undefined)
    return given === undefined
      ? { text: setting.default, source: 'default' }
      : { text: given, source: 'environment' }
  if (given !== undefined)
    return { fault: `${name} and ${name}_FILE are both set. Keep one of them.` }
  try {
    return { text: readFileSync(file, 'utf8').trimEnd(), source: 'file', file }
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    return { fault: `${name}_FILE is ${JSON.stringify(file)}, which cannot be read: ${reason}.` }
  }
}
