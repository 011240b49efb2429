import { createServer } from 'node:net'
import { resolve } from 'node:path'
import { address, flag, host, hostInUrl, integer, oneOf, origin, secret } from './setting-readers.ts'

/** A setting that the environment gives: how it is read, what it is when missing, and what the documents say of it. */
type Setting<Value> = {
  /** @throws {Error} whose message completes "NAME must be …" */
  read: (text: string) => Value
  /** As it would be written in the environment; `undefined`: may stay unset. */
  default: string | undefined
  /** One sentence for `.env.example` and `docs/operations.md`. */
  about: string
}

/** Every setting there is, in the order of the documents. An empty value counts as unset. */
const SETTINGS = {
  HOST: {
    read: host,
    default: '127.0.0.1',
    about: 'Address to listen on; `0.0.0.0` or `::` for every network.',
  },
  PORT: { read: integer(0, 65_535), default: '14790', about: 'Port to listen on; 0 takes a free one.' },
  AUTH_URL: {
    read: origin,
    default: undefined,
    about:
      'Address of the identity provider as the world sees it; the issuer is `AUTH_URL/oidc`. By default the address listened on.',
  },
  API_URL: {
    read: origin,
    default: undefined,
    about:
      'Address of the user API as the world sees it; access tokens are for `API_URL/open`. By default `AUTH_URL`.',
  },
  BASE_URL: {
    read: origin,
    default: undefined,
    about: 'Address of the catalog and the developer API as the world sees it. By default `AUTH_URL`.',
  },
  TRUSTED_PROXIES: {
    read: integer(0, 10),
    default: '0',
    about:
      'How many reverse proxies stand in front and add to `X-Forwarded-For`; the client is so many addresses from its end.',
  },
  DATABASE_URL: {
    read: address('postgres://user:password@host/database', 'postgres', 'postgresql'),
    default: undefined,
    about:
      'A PostgreSQL server (15 or newer): `postgres://user:password@host/database`. Unset: the embedded database in `DATA_DIR`, for one process.',
  },
  DATABASE_POOL_SIZE: {
    read: integer(1, 100),
    default: '8',
    about: 'Connections each process keeps to the server; small pools are faster on few cores.',
  },
  DATABASE_PREPARED_STATEMENTS: {
    read: flag,
    default: 'true',
    about: 'Off behind a pooler that mixes sessions, such as PgBouncer before 1.21.',
  },
  DATA_DIR: {
    read: (value: string) => resolve(value),
    default: './data',
    about: 'Folder of the embedded database and of `demo.json`.',
  },
  REDIS_URL: {
    read: address('redis://host:6379', 'redis', 'rediss'),
    default: undefined,
    about:
      'A Redis server that counts the requests of applications for several processes. Unset: each counts for itself.',
  },
  SECRET_KEY: {
    read: secret,
    default: undefined,
    about:
      'Encrypts the signing keys and the secrets of authenticator apps in the database. Keep it: without it they cannot be read again.',
  },
  SMTP_URL: {
    read: address('smtp://user:password@host:587', 'smtp', 'smtps'),
    default: undefined,
    about:
      'The server that sends mail: `smtp://user:password@host:587`, or `smtps://…:465`. Unset: mails are written to `DATA_DIR/outbox`, and their links to the log.',
  },
  MAIL_FROM: {
    read: mailbox,
    default: 'mokuroku <mokuroku@localhost>',
    about: 'Who mails are from: `name <address>` or an address alone.',
  },
  CATALOG_REQUESTS_PER_MINUTE: {
    read: integer(1, 1_000_000_000),
    default: '60',
    about:
      'Requests an application may make to the catalog in a minute; `app create --requests-per-minute` overrides it for one.',
  },
  TOKEN_REQUESTS_PER_MINUTE: {
    read: integer(1, 1_000_000_000),
    default: '300',
    about:
      'Token and authorization requests, and forms of pages, a client address may send in a minute, each counted by itself.',
  },
  FAILED_AUTHENTICATIONS_PER_MINUTE: {
    read: integer(1, 1_000_000_000),
    default: '300',
    about: 'Refused bearer tokens after which an address is answered 429 instead of 401.',
  },
  USER_REQUESTS_PER_MINUTE: {
    read: integer(1, 1_000_000_000),
    default: '60',
    about: 'Requests an application may make for one user in a minute: ratings, collections.',
  },
  DEVELOPER_REQUESTS_PER_MINUTE: {
    read: integer(1, 1_000_000_000),
    default: '60',
    about: 'Requests a user may make in a minute to manage their apps.',
  },
  APPS_PER_ACCOUNT: {
    read: integer(0, 1_000_000),
    default: '20',
    about: 'Apps an account may have.',
  },
  CATALOG_CACHE_MIB: {
    read: integer(0, 65_536),
    default: '64',
    about: 'Memory for catalog answers kept ready, in MiB.',
  },
  LOG_LEVEL: {
    read: oneOf('fatal', 'error', 'warn', 'info', 'debug', 'silent'),
    default: 'info',
    about: 'Least level that is logged: `fatal`, `error`, `warn`, `info`, `debug` or `silent`.',
  },
  LOG_REQUESTS: {
    read: flag,
    default: 'false',
    about: 'One log line a request; it costs about a third of the throughput.',
  },
} satisfies Record<string, Setting<unknown>>

type Name = keyof typeof SETTINGS
type Values = { [Key in Name]: ReturnType<(typeof SETTINGS)[Key]['read']> }

export type Config = Readonly<{
  host: string
  port: number
  /** Origin of the identity provider, without a slash at the end. */
  authUrl: string
  /** Origin of the user API. */
  apiUrl: string
  /** Origin of the catalog and the developer API. */
  baseUrl: string
  /** Addresses at the end of `X-Forwarded-For` that are ours. */
  trustedProxies: number
  databaseUrl: string | undefined
  databasePoolSize: number
  databasePreparedStatements: boolean
  /** Absolute. */
  dataDir: string
  redisUrl: string | undefined
  secretKey: string | undefined
  /** May hold a password. */
  smtpUrl: string | undefined
  mailFrom: string
  catalogRequestsPerMinute: number
  tokenRequestsPerMinute: number
  failedAuthenticationsPerMinute: number
  userRequestsPerMinute: number
  developerRequestsPerMinute: number
  appsPerAccount: number
  catalogCacheBytes: number
  logLevel: Values['LOG_LEVEL']
  logRequests: boolean
}>

/** Settings that are wrong: `message` has one line for each. */
export class ConfigError extends Error {
  override name = 'ConfigError'
}

/**
 * Reads every setting from the environment, and nothing else in the program does.
 *
 * @throws {ConfigError} that names every wrong setting, what it must be and what it is
 */
export function readConfig(environment: NodeJS.ProcessEnv = process.env): Config {
  const faults: string[] = []
  const read = <Key extends Name>(name: Key): Values[Key] | undefined => {
    const setting: Setting<unknown> = SETTINGS[name]
    const given = environment[name] || setting.default
    if (given === undefined) return undefined
    try {
      // as: the type of the table's own entry
      return setting.read(given) as Values[Key]
    } catch (fault) {
      const rule = fault instanceof Error ? fault.message : String(fault)
      faults.push(`${name} must be ${rule}${shownValue(name, given)}`)
      return undefined
    }
  }
  // as: a missing value without a default is a fault, and faults throw below
  const values = Object.fromEntries(Object.keys(SETTINGS).map((name) => [name, read(name as Name)])) as Values
  if (faults.length > 0) throw new ConfigError(faults.join('\n'))

  const authUrl = values.AUTH_URL ?? new URL(`http://${hostInUrl(values.HOST)}:${values.PORT}`).origin
  return Object.freeze({
    host: values.HOST,
    port: values.PORT,
    authUrl,
    apiUrl: values.API_URL ?? authUrl,
    baseUrl: values.BASE_URL ?? authUrl,
    trustedProxies: values.TRUSTED_PROXIES,
    databaseUrl: values.DATABASE_URL,
    databasePoolSize: values.DATABASE_POOL_SIZE,
    databasePreparedStatements: values.DATABASE_PREPARED_STATEMENTS,
    dataDir: values.DATA_DIR,
    redisUrl: values.REDIS_URL,
    secretKey: values.SECRET_KEY,
    smtpUrl: values.SMTP_URL,
    mailFrom: values.MAIL_FROM,
    catalogRequestsPerMinute: values.CATALOG_REQUESTS_PER_MINUTE,
    tokenRequestsPerMinute: values.TOKEN_REQUESTS_PER_MINUTE,
    failedAuthenticationsPerMinute: values.FAILED_AUTHENTICATIONS_PER_MINUTE,
    userRequestsPerMinute: values.USER_REQUESTS_PER_MINUTE,
    developerRequestsPerMinute: values.DEVELOPER_REQUESTS_PER_MINUTE,
    appsPerAccount: values.APPS_PER_ACCOUNT,
    catalogCacheBytes: values.CATALOG_CACHE_MIB * 2 ** 20,
    logLevel: values.LOG_LEVEL,
    logRequests: values.LOG_REQUESTS,
  })
}

/** The same with `PORT=0` turned into a port that is free now: the addresses, and with them every token, name it. */
export async function readConfigForServing(environment: NodeJS.ProcessEnv = process.env): Promise<Config> {
  const { host, port } = readConfig(environment)
  return readConfig(port === 0 ? { ...environment, PORT: String(await findFreePort(host)) } : environment)
}

/** What `.env.example` and the table of settings in `docs/operations.md` are generated from. */
export function describeSettings() {
  return Object.entries<Setting<unknown>>(SETTINGS).map(([name, { default: value, about }]) => ({
    name,
    default: value,
    about,
  }))
}

/**
 * The wrong value as a message may show it, on one line. Of what may hold a password, only what comes before the
 * first place where it could be: a malformed address has it anywhere behind the scheme.
 */
function shownValue(name: Name, value: string) {
  const mayHoldPassword = name === 'DATABASE_URL' || name === 'REDIS_URL' || value.includes('@')
  if (name === 'SECRET_KEY' || name === 'SMTP_URL') return ''
  if (!mayHoldPassword) return `, not ${JSON.stringify(value)}`
  const [scheme] = /^[a-z][a-z\d+.-]*:\/\//i.exec(value) ?? []
  return scheme ? `, not "${scheme}…"` : ''
}

/** One line, with one address: a line break would be another header of the mail. */
function mailbox(value: string) {
  const address = /^[^<>]*<([^<>]+)>$/.exec(value)?.[1] ?? value
  if (/[\p{Cc}\u2028\u2029]/u.test(value) || !/^[^\s@<>,;]+@[^\s@<>,;]+$/.test(address))
    throw new Error('an address, alone or as name <address>')
  return value
}

function findFreePort(host: string): Promise<number> {
  return new Promise((found, fail) => {
    const server = createServer()
    server.once('error', fail)
    server.listen(0, host, () => {
      const bound = server.address()
      server.close(() =>
        bound && typeof bound === 'object' ? found(bound.port) : fail(new Error('no port')),
      )
    })
  })
}
