import { createServer } from 'node:net'
import { bySource } from '../sources/registry.ts'
import { upstreamSettings } from './instance-settings.ts'
import { retentionWindows } from './retention-settings.ts'
import { findGivenSetting, type Setting } from './setting.ts'
import { hostInUrl, type BucketContent } from './setting-readers.ts'
import { SETTINGS, settingsWith } from './settings.ts'
import { dumpUrlSetting } from './source-settings.ts'

type Name = keyof typeof SETTINGS
// as: the keys of this object
const NAMES = Object.keys(SETTINGS) as Name[]
/** A setting without a default may be undefined. */
type Values = {
  [Key in Name]:
    | ReturnType<(typeof SETTINGS)[Key]['read']>
    | ((typeof SETTINGS)[Key] extends { default: undefined } ? undefined : never)
}

/** Proxy of outbound requests. */
export type ProxySettings = Readonly<{
  /** URL of the proxy for https destinations; it may contain a user and a password. */
  httpsProxy: string | undefined
  /** URL of the proxy for http destinations. */
  httpProxy: string | undefined
  /** Hosts that are contacted directly, in the form of `NO_PROXY`. */
  noProxy: readonly string[]
}>

/** Pages whose text is the operator's, in the order of the footer. They are served under these names. */
export const LEGAL_PAGES = ['terms', 'privacy', 'imprint'] as const
export type LegalPageName = (typeof LEGAL_PAGES)[number]
/** OpenID provider with which users can sign in. */
export type UpstreamProvider = Readonly<{
  /** Name in the paths of this service. */
  name: string
  /** Issuer as configured, for discovery. */
  issuerUrl: string
  /** Issuer without a trailing slash, which identifies the provider in the database. */
  issuer: string
  clientId: string
  clientSecret: string
  /** Name of the provider on pages. */
  label: string
}>

/** Bucket with the S3 API. */
export type BucketSettings = Readonly<{
  /** Without a trailing slash. */
  url: string
  /** Prefix of all object names; empty, or with a trailing slash. */
  prefix: string
  region: string
  accessKey: string
  secretKey: string
  contents: readonly BucketContent[]
}>

/** Returns the environment, for code that reports where settings come from. Values are read with `readConfig`. */
export const currentEnvironment = (): NodeJS.ProcessEnv => process.env

/** Invalid settings. `message` contains one line for each. */
export class ConfigError extends Error {
  override name = 'ConfigError'
}

/**
 * Reads every setting. No other part of the program reads settings from the environment.
 *
 * @throws {ConfigError} naming each invalid setting, its rule and its value
 */
export function readConfig(environment: NodeJS.ProcessEnv = process.env) {
  const values = readValues(NAMES, environment)
  const authUrl =
    values.AUTH_URL ?? new URL(`http://${hostInUrl(values.HOST)}:${values.PORT}`).origin
  return Object.freeze({
    host: values.HOST,
    port: values.PORT,
    /** Origin of the identity provider, without a trailing slash. */
    authUrl,
    /** Origin of the user API. */
    apiUrl: values.API_URL ?? authUrl,
    /** Origin of the catalog and the developer API. */
    baseUrl: values.BASE_URL ?? authUrl,
    /** Number of reverse proxies, whose addresses are at the end of `X-Forwarded-For`. */
    trustedProxies: values.TRUSTED_PROXIES,
    maxConnections: values.MAX_CONNECTIONS,
    /** Limits of the requests that wait for changes. */
    maxWaitingRequests: {
      perProcess: values.MAX_WAITING_REQUESTS,
      perApp: values.MAX_WAITING_REQUESTS_PER_APP,
    },
    workers: values.WORKERS,
    /** In seconds. */
    shutdownDelay: values.SHUTDOWN_DELAY,
    overloadProtection: values.OVERLOAD_PROTECTION,
    databaseUrl: values.DATABASE_URL,
    databaseDirectUrl: values.DATABASE_DIRECT_URL,
    /** URLs of streaming replicas. */
    databaseReplicaUrls: values.DATABASE_REPLICA_URLS ?? [],
    databasePoolSize: values.DATABASE_POOL_SIZE,
    databasePreparedStatements: values.DATABASE_PREPARED_STATEMENTS,
    /** Absolute path. */
    dataDir: values.DATA_DIR,
    /** Absolute path; see `backupFolder` for the default. */
    backupDir: values.BACKUP_DIR,
    /** Time between scheduled backups, in milliseconds; undefined disables them. */
    backupEveryMs: values.BACKUP_EVERY === 'off' ? undefined : values.BACKUP_EVERY,
    backupKeep: values.BACKUP_KEEP,
    bucket: readBucket(values),
    retention: retentionWindows(values),
    /** URLs of the latest dumps, keyed by source. */
    dumpUrls: bySource((source) => values[dumpUrlSetting(source)]),
    maxDumpBytes: values.MAX_DUMP_MIB * 2 ** 20,
    bangumiApiUrl: values.BANGUMI_API_URL,
    bangumiRequestsPerMinute: values.BANGUMI_REQUESTS_PER_MINUTE,
    redisUrl: values.REDIS_URL,
    secretKey: values.SECRET_KEY,
    /** The URL may contain a password. */
    smtpUrl: values.SMTP_URL,
    mailFrom: mailSender(values),
    signUp: values.SIGN_UP,
    /** Domains in lower case and ASCII form; a leading dot means the subdomains. Empty if all domains are accepted. */
    signUpMailDomains: values.SIGN_UP_MAIL_DOMAINS ?? [],
    catalogRequestsPerMinute: values.CATALOG_REQUESTS_PER_MINUTE,
    tokenRequestsPerMinute: values.TOKEN_REQUESTS_PER_MINUTE,
    failedAuthenticationsPerMinute: values.FAILED_AUTHENTICATIONS_PER_MINUTE,
    userRequestsPerMinute: values.USER_REQUESTS_PER_MINUTE,
    anonymousRequestsPerMinute: values.ANONYMOUS_REQUESTS_PER_MINUTE,
    /** Whether the catalog API answers requests without a token. */
    anonymousCatalog: values.ANONYMOUS_CATALOG === 'on',
    pageRequestsPerMinute: values.PAGE_REQUESTS_PER_MINUTE,
    instanceName: values.INSTANCE_NAME,
    /** Absolute path. */
    instanceLogo: values.INSTANCE_LOGO,
    /** Color in the form `#rrggbb`. */
    accentColor: values.ACCENT_COLOR,
    defaultLanguage: values.DEFAULT_LANGUAGE,
    /** Contact of the operator: a `mailto:` or https URL. */
    contact: values.CONTACT ?? `mailto:${values.MAIL_FROM.replace(/^.*<|>$/g, '')}`,
    /** The contact, unless it is the default. */
    publicContact: values.CONTACT,
    /** Absolute paths of Markdown files. */
    legalFiles: {
      terms: values.TERMS_FILE,
      privacy: values.PRIVACY_FILE,
      imprint: values.IMPRINT_FILE,
    } satisfies Record<LegalPageName, string | undefined>,
    upstreamProviders: readUpstreamProviders(values.UPSTREAM_PROVIDERS ?? [], environment),
    developerRequestsPerMinute: values.DEVELOPER_REQUESTS_PER_MINUTE,
    appsPerAccount: values.APPS_PER_ACCOUNT,
    /** Maximum lifetime of new personal access tokens, in days; undefined for none. */
    personalTokenDays:
      values.PERSONAL_TOKEN_LIFETIME === 'forever' ? undefined : values.PERSONAL_TOKEN_LIFETIME,
    catalogCacheBytes: values.CATALOG_CACHE_MIB * 2 ** 20,
    adultWorks: values.ADULT_WORKS,
    serviceWorker: values.SERVICE_WORKER,
    webhooks: values.WEBHOOKS,
    images: values.IMAGES,
    mcp: values.MCP,
    clientDocuments: values.CLIENT_DOCUMENTS,
    apiPictures: values.API_PICTURES,
    imageCacheBytes: values.IMAGE_CACHE_MIB * 2 ** 20,
    /** Origins from which pictures may be fetched, in addition to the sources' origins. */
    imageOrigins: values.IMAGE_ORIGINS ?? [],
    /** Base URLs of mirrors without a trailing slash, keyed by the origin of the source. */
    pictureMirrors: values.PICTURE_MIRRORS ?? new Map<string, string>(),
    imageRequestsPerMinute: values.IMAGE_REQUESTS_PER_MINUTE,
    metricsAddress: values.METRICS_ADDRESS,
    /** The URL may contain a password. */
    otlpEndpoint: values.OTEL_EXPORTER_OTLP_ENDPOINT,
    otelServiceName: values.OTEL_SERVICE_NAME,
    otelSampleRatio: values.OTEL_TRACES_SAMPLER_ARG,
    logLevel: values.LOG_LEVEL,
    /** `off`, `log`, `stdout` or an absolute path. */
    accessLog: values.ACCESS_LOG,
    accessLogFormat: values.ACCESS_LOG_FORMAT,
    accessLogSample: values.ACCESS_LOG_SAMPLE,
  })
}

export type Config = ReturnType<typeof readConfig>

/**
 * Reads the proxy of outbound requests. It applies to the whole process, and commands without other settings use it too.
 *
 * @throws {ConfigError} as `readConfig`
 */
export function readProxySettings(environment: NodeJS.ProcessEnv = process.env): ProxySettings {
  const { HTTPS_PROXY, HTTP_PROXY, NO_PROXY } = readValues(
    ['HTTPS_PROXY', 'HTTP_PROXY', 'NO_PROXY'],
    environment,
  )
  return { httpsProxy: HTTPS_PROXY, httpProxy: HTTP_PROXY, noProxy: NO_PROXY ?? [] }
}

/** @throws {ConfigError} if the bucket has no access key */
function readBucket(values: Values): BucketSettings | undefined {
  const { BUCKET_URL: url, BUCKET_ACCESS_KEY: accessKey, BUCKET_SECRET_KEY: secretKey } = values
  if (url === undefined) return undefined
  const missing = accessKey === undefined ? 'BUCKET_ACCESS_KEY' : 'BUCKET_SECRET_KEY'
  if (accessKey === undefined || secretKey === undefined)
    throw new ConfigError(`BUCKET_URL is set, but ${missing} is not.`)
  return {
    url,
    prefix: values.BUCKET_PREFIX ?? '',
    region: values.BUCKET_REGION,
    accessKey,
    secretKey,
    contents: values.BUCKET_CONTENTS,
  }
}

/**
 * @throws {ConfigError} if a setting of a provider is missing or invalid, or two providers have the same issuer
 */
function readUpstreamProviders(
  names: readonly string[],
  environment: NodeJS.ProcessEnv,
): readonly UpstreamProvider[] {
  const faults: string[] = []
  const providers = names.map((name): UpstreamProvider => {
    const settings = upstreamSettings(name)
    const read = (key: keyof typeof settings) =>
      readValue(settings[key].name, settings[key].setting, environment, faults)
    const requireValue = (key: keyof typeof settings) => {
      const before = faults.length
      const value = read(key)
      if (value === undefined && faults.length === before)
        faults.push(`UPSTREAM_PROVIDERS names ${name}, but ${settings[key].name} is not set.`)
      return value ?? ''
    }
    const issuerUrl = requireValue('ISSUER')
    return {
      name,
      issuerUrl,
      // Normalized, because users' identities are stored under it.
      issuer: (URL.parse(issuerUrl)?.href ?? '').replace(/\/$/, ''),
      clientId: requireValue('CLIENT_ID'),
      clientSecret: requireValue('CLIENT_SECRET'),
      label: read('LABEL') ?? name,
    }
  })
  if (faults.length === 0)
    for (const [issuer, same] of Map.groupBy(providers, (provider) => provider.issuer))
      if (same.length > 1)
        faults.push(
          `UPSTREAM_PROVIDERS names ${same.map(({ name }) => name).join(' and ')}, which have the same issuer ${issuer}. Keep one of them.`,
        )
  if (faults.length > 0) throw new ConfigError(faults.join('\n'))
  return providers
}

/** @throws {ConfigError} naming each invalid setting, its rule and its value */
function readValues<Read extends Name>(
  names: readonly Read[],
  environment: NodeJS.ProcessEnv,
): Pick<Values, Read> {
  const faults: string[] = []
  // as: the types of the table's entries; an invalid value is a fault, and faults throw below
  const values = Object.fromEntries(
    names.map((name) => [name, readValue<unknown>(name, SETTINGS[name], environment, faults)]),
  ) as Pick<Values, Read>
  if (faults.length > 0) throw new ConfigError(faults.join('\n'))
  return values
}

/**
 * Reads a setting.
 *
 * @param faults receives a line if the value is invalid
 * @returns undefined if the setting is unset or invalid
 */
function readValue<Value>(
  name: string,
  setting: Setting<Value>,
  environment: NodeJS.ProcessEnv,
  faults: string[],
): Value | undefined {
  const given = findGivenSetting(name, setting, environment)
  if ('fault' in given) {
    faults.push(given.fault)
    return undefined
  }
  const { text } = given
  if (text === undefined) return undefined
  try {
    return setting.read(text)
  } catch (fault) {
    const rule = fault instanceof Error ? fault.message : String(fault)
    faults.push(`${name} must be ${rule}${shownValue(setting, text)}.`)
    return undefined
  }
}

/**
 * Reads the settings for serving. Replaces `PORT=0` with a free port, because URLs and tokens contain the port.
 *
 * @throws {ConfigError} also for several workers, or for replicas, with the embedded database
 */
export async function readConfigForServing(
  environment: NodeJS.ProcessEnv = process.env,
): Promise<Config> {
  const { host, port, workers, databaseUrl, databaseReplicaUrls } = readConfig(environment)
  if (workers !== 'auto' && workers > 1 && databaseUrl === undefined)
    throw new ConfigError(
      `WORKERS is ${workers}, but the embedded database supports only one process: set DATABASE_URL to a PostgreSQL server, or WORKERS to 1.`,
    )
  if (databaseReplicaUrls.length > 0 && databaseUrl === undefined)
    throw new ConfigError(
      'DATABASE_REPLICA_URLS is set, but DATABASE_URL is not: set it to the URL of the primary.',
    )
  return readConfig(
    port === 0 ? { ...environment, PORT: String(await findFreePort(host)) } : environment,
  )
}

/** Names the default sender after the site. A quoted name may contain any character. */
const mailSender = ({ MAIL_FROM, INSTANCE_NAME }: Pick<Values, 'MAIL_FROM' | 'INSTANCE_NAME'>) =>
  MAIL_FROM === SETTINGS.MAIL_FROM.default && INSTANCE_NAME !== SETTINGS.INSTANCE_NAME.default
    ? `${JSON.stringify(INSTANCE_NAME)} <mokuroku@localhost>`
    : MAIL_FROM

/** Returns the settings from which `.env.example` and the table in `docs/operations.md` are generated. */
export function describeSettings() {
  return [...settingsWith('name')].map(([name, { default: value, about, secret }]) => ({
    name,
    default: value,
    about,
    mayBeInFile: secret !== undefined,
  }))
}

/**
 * Formats an invalid value for a one-line message. Hides everything after the scheme of a URL, which may hold a
 * password.
 */
function shownValue({ secret }: Setting<unknown>, value: string) {
  if (secret === 'whole') return ''
  if (secret === undefined && !value.includes('@')) return `, not ${JSON.stringify(value)}`
  const [scheme] = /^[a-z][a-z\d+.-]*:\/\//i.exec(value) ?? []
  return scheme ? `, not "${scheme}…"` : ''
}

/** Finds a port that is free on every address that `operations/listen.ts` uses for the host. */
async function findFreePort(host: string): Promise<number> {
  if (host !== 'localhost') return portOf(host, 0)
  for (let attempt = 1; ; attempt += 1) {
    const port = await portOf('127.0.0.1', 0)
    const isTaken = await portOf('::1', port).then(
      () => false,
      (error: NodeJS.ErrnoException) => error.code === 'EADDRINUSE',
    )
    if (!isTaken) return port
    if (attempt === 10) throw new Error('no port is free on both 127.0.0.1 and ::1')
  }
}

/**
 * Listens briefly on a port.
 *
 * @returns the port; for 0, any free one
 */
function portOf(host: string, port: number): Promise<number> {
  return new Promise((found, fail) => {
    const server = createServer()
    server.once('error', fail)
    server.listen(port, host, () => {
      const bound = server.address()
      server.close(() =>
        bound && typeof bound === 'object' ? found(bound.port) : fail(new Error('no port')),
      )
    })
  })
}
