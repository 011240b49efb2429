import { resolve } from 'node:path'
import { SOURCE_NAMES, SOURCES, type SourceName } from '../sources/registry.ts'
import { RETENTION_SETTINGS } from './retention-settings.ts'
import {
  accessLogTarget,
  bucketContents,
  bucketPrefix,
  bucketUrl,
  color,
  url,
  contact,
  databaseUrl,
  encryptedUrl,
  flag,
  host,
  privateHostAndPort,
  integer,
  interval,
  line,
  mailbox,
  mailDomains,
  oneOf,
  origin,
  origins,
  pictureMirrors,
  providerNames,
  proxy,
  proxyExceptions,
  secret,
  share,
  siteName,
  urls,
  workerCount,
} from './setting-readers.ts'

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

export const dumpUrlSetting = (source: SourceName) =>
  // as: the text is the same in upper case
  `${source.toUpperCase() as Uppercase<SourceName>}_DUMP_URL` as const

const DUMP_URLS = Object.fromEntries(
  SOURCE_NAMES.toSorted().map((source): [string, Setting<string>] => [
    dumpUrlSetting(source),
    {
      read: url('https://host/file', 'https', 'http'),
      default: SOURCES[source].dump.url,
      about: `URL of the newest dump of ${SOURCES[source].dump.title} for \`mokuroku update\`: the file, or a \`.json\` that names it in GitHub's format.`,
    },
  ]),
  // as: the entries are one setting per source
) as Record<ReturnType<typeof dumpUrlSetting>, Setting<string>>

/** All settings, in the order of the documentation. An empty value counts as unset. */
export const SETTINGS = {
  HOST: {
    read: host,
    default: 'localhost',
    about:
      'Address to listen on. `localhost` means 127.0.0.1 and ::1; `0.0.0.0` or `::` means every network interface.',
  },
  PORT: {
    read: integer(0, 65_535),
    default: '14790',
    about: 'Port to listen on; 0 selects a free one.',
  },
  AUTH_URL: {
    read: origin,
    default: undefined,
    about:
      'Public URL of the identity provider. The issuer is `AUTH_URL/oidc`. Defaults to the URL the service listens on.',
  },
  API_URL: {
    read: origin,
    default: undefined,
    about:
      'Public URL of the user API. The audience of access tokens is `API_URL/open`. Defaults to `AUTH_URL`.',
  },
  BASE_URL: {
    read: origin,
    default: undefined,
    about: 'Public URL of the website, the catalog and the developer API. Defaults to `AUTH_URL`.',
  },
  INSTANCE_NAME: {
    read: siteName,
    default: 'mokuroku',
    about: 'Name of the site in titles, the header, emails, consent and passkeys.',
  },
  INSTANCE_LOGO: {
    read: (value: string) => resolve(value),
    default: undefined,
    about:
      'Path of the logo, an SVG, PNG or WebP file of at most 512 KiB. It is also the icon of the site. Wide logos replace the name in the header.',
  },
  ACCENT_COLOR: {
    read: color,
    default: undefined,
    about:
      'Color of links, buttons and the icon, such as `#2b4c80`. Each theme uses the nearest lightness with enough contrast.',
  },
  DEFAULT_LANGUAGE: {
    read: oneOf('en', 'ja', 'zh-Hans', 'zh-Hant', 'ko'),
    default: 'en',
    about:
      'Language of pages and emails for people who prefer none of the five: `en`, `ja`, `zh-Hans`, `zh-Hant` or `ko`.',
  },
  CONTACT: {
    read: contact,
    default: undefined,
    about:
      'Contact of the operator, for users who cannot sign in and for security reports: `mailto:contact@host` or an https URL. Published in the footer and in `/.well-known/security.txt`. Defaults to the address in `MAIL_FROM`, which the footer does not show. Formerly `SECURITY_CONTACT`.',
    formerName: 'SECURITY_CONTACT',
  },
  TERMS_FILE: {
    read: (value: string) => resolve(value),
    default: undefined,
    about:
      'Path of the terms of service, a Markdown file shown at `/terms`. Translations are in the same folder, with the language before the extension: `.ja.md`.',
  },
  PRIVACY_FILE: {
    read: (value: string) => resolve(value),
    default: undefined,
    about: 'Path of the privacy policy, a Markdown file shown at `/privacy`, with translations.',
  },
  IMPRINT_FILE: {
    read: (value: string) => resolve(value),
    default: undefined,
    about: 'Path of the imprint, a Markdown file shown at `/imprint`, with translations.',
  },
  TRUSTED_PROXIES: {
    read: integer(0, 10),
    default: '0',
    about:
      "Number of reverse proxies that append to `X-Forwarded-For`. The client's IP address is that many entries from its end.",
  },
  MAX_CONNECTIONS: {
    read: integer(1, 1_000_000),
    default: '10000',
    about:
      'Maximum client connections of each process or worker. Further ones get 503. Set `ulimit -n` a few thousand higher.',
  },
  WORKERS: {
    read: workerCount,
    default: '1',
    about:
      'Number of processes that serve requests. More than one needs a PostgreSQL server. `auto` is one per core, or one with the embedded database.',
  },
  SHUTDOWN_DELAY: {
    read: integer(0, 600),
    default: '0',
    about:
      'Seconds for which a stopping service still serves requests while `/health/ready` returns 503, so that a load balancer stops sending them.',
  },
  OVERLOAD_PROTECTION: {
    read: oneOf('on', 'off'),
    default: 'on',
    about:
      'Whether a process that cannot keep up refuses requests with 503 and `Retry-After`, so that the ones it accepts stay fast.',
  },
  DATABASE_URL: {
    read: databaseUrl,
    default: undefined,
    about:
      'URL of a PostgreSQL server, version 15 or newer: `postgres://user:password@host/database`. With several hosts (`a:5432,b:5432`), the one that accepts writes is used. If unset, one process uses the embedded database in `DATA_DIR`.',
    secret: 'password',
  },
  DATABASE_DIRECT_URL: {
    read: databaseUrl,
    default: undefined,
    about:
      'URL of the same database without the connection pooler in `DATABASE_URL`, for notifications of changes. If unset, processes behind a pooler that mixes sessions learn of changes by polling only.',
    secret: 'password',
  },
  DATABASE_REPLICA_URLS: {
    read: urls('postgres://user:password@host/database', 'postgres', 'postgresql'),
    default: undefined,
    about:
      'URLs of streaming replicas of `DATABASE_URL`, separated by commas. They answer reads of the catalog when they have replayed everything that the primary has written; the primary answers all others.',
    secret: 'password',
  },
  DATABASE_POOL_SIZE: {
    read: integer(1, 100),
    default: '8',
    about:
      'Maximum database connections of each process or worker, to the primary and to each replica. Small pools are faster on few cores.',
  },
  DATABASE_PREPARED_STATEMENTS: {
    read: flag,
    default: 'true',
    about:
      'Set to `false` behind a connection pooler that mixes sessions and does not track prepared statements, such as PgBouncer before 1.21.',
  },
  DATA_DIR: {
    read: (value: string) => resolve(value),
    default: './data',
    about:
      'Folder of the embedded database, `demo.json`, downloaded dumps and pictures, and mail without an `SMTP_URL`.',
  },
  BACKUP_DIR: {
    read: (value: string) => resolve(value),
    default: undefined,
    about:
      'Folder of scheduled backups. Defaults to `DATA_DIR/backups` with the embedded database; with a server, backups are scheduled only if it or `BUCKET_URL` is set.',
  },
  BACKUP_EVERY: {
    read: interval,
    default: '24h',
    about:
      'Time between scheduled backups: hours, minutes (`90m`) or days (`7d`). `off` also disables the backup of the embedded database before migrations.',
  },
  BACKUP_KEEP: {
    read: integer(1, 10_000),
    default: '7',
    about:
      'Number of backups to keep in `BACKUP_DIR`. The oldest are deleted once a new one has been verified.',
  },
  BUCKET_URL: {
    read: bucketUrl,
    default: undefined,
    about:
      'URL of a bucket with the S3 API, which several machines can share: `https://s3.example.org/bucket` or `https://bucket.s3.example.org`. If unset, folders are used.',
  },
  BUCKET_CONTENTS: {
    read: bucketContents,
    default: 'pictures,backups',
    about:
      "What the bucket stores: `pictures` (the sources' pictures, also cached in `DATA_DIR/images`), `backups` (scheduled backups, instead of `BACKUP_DIR`), or both.",
  },
  BUCKET_PREFIX: {
    read: bucketPrefix,
    default: undefined,
    about: 'Prefix of all object names, such as `mokuroku`, if other programs use the bucket.',
  },
  BUCKET_REGION: {
    read: line(64),
    default: 'us-east-1',
    about: 'Region of the bucket, as its provider names it. Many servers accept any.',
  },
  BUCKET_ACCESS_KEY: {
    read: line(256),
    default: undefined,
    about:
      'Access key ID for the bucket. It needs permission to list the bucket, and to read, write and delete objects.',
  },
  BUCKET_SECRET_KEY: {
    read: line(1_024),
    default: undefined,
    about: 'Secret of the access key.',
    secret: 'whole',
  },
  ...RETENTION_SETTINGS,
  ...DUMP_URLS,
  BANGUMI_API_URL: {
    read: encryptedUrl('https://api.bgm.tv'),
    default: 'https://api.bgm.tv',
    about:
      'URL of the API that `mokuroku import bangumi --pictures` requests. Must be https, except on this machine.',
  },
  BANGUMI_REQUESTS_PER_MINUTE: {
    read: integer(1, 600),
    default: '60',
    about: "Maximum requests per minute to Bangumi's API.",
  },
  MAX_DUMP_MIB: {
    read: integer(1, 1_000_000),
    default: '8192',
    about: 'Maximum size, in MiB, of a dump that `mokuroku update` downloads.',
  },
  HTTPS_PROXY: {
    read: proxy,
    default: undefined,
    about:
      'URL of the HTTP proxy for requests to https URLs: `http://user:password@proxy:3128`. Also read as `https_proxy`. Email does not use it.',
    secret: 'password',
    inLowerCase: true,
  },
  HTTP_PROXY: {
    read: proxy,
    default: undefined,
    about: 'URL of the HTTP proxy for requests to http URLs. Also read as `http_proxy`.',
    secret: 'password',
    inLowerCase: true,
  },
  NO_PROXY: {
    read: proxyExceptions,
    default: undefined,
    about:
      'Comma-separated hosts that are contacted without a proxy: `example.org` includes its subdomains, `.example.org` means only these, `*` means all hosts; `:port` is optional. This machine never needs a proxy. Also read as `no_proxy`.',
    inLowerCase: true,
  },
  REDIS_URL: {
    read: url('redis://host:6379', 'redis', 'rediss'),
    default: undefined,
    about:
      'URL of a Redis server that counts the requests of apps for several services. If unset, each service counts for itself, across its workers.',
    secret: 'password',
  },
  SECRET_KEY: {
    read: secret,
    default: undefined,
    about:
      'Encrypts signing keys, cookie keys and the secrets of authenticator apps in the database. Keep a copy: they cannot be read without it.',
    secret: 'whole',
  },
  SMTP_URL: {
    read: url('smtp://user:password@host:587', 'smtp', 'smtps'),
    default: undefined,
    about:
      'URL of the mail server: `smtp://user:password@host:587` or `smtps://…:465`. If unset, emails are written to `DATA_DIR/outbox` and their links to the log.',
    secret: 'whole',
  },
  MAIL_FROM: {
    read: mailbox,
    default: 'mokuroku <mokuroku@localhost>',
    about: 'Sender of emails: `name <address>`, or an address.',
  },
  SIGN_UP: {
    read: oneOf('open', 'invitation', 'approval', 'closed'),
    default: 'open',
    about:
      'Who may create an account: anyone (`open`), holders of an invitation (`invitation`), anyone whom an administrator approves (`approval`), or no one (`closed`). `mokuroku account create` always works.',
  },
  SIGN_UP_MAIL_DOMAINS: {
    read: mailDomains,
    default: undefined,
    about:
      'Comma-separated domains of the email addresses that users may sign up with or change to: `example.org` is exactly this domain, `.example.org` its subdomains. If unset, all domains.',
  },
  CATALOG_REQUESTS_PER_MINUTE: {
    read: integer(1, 1_000_000_000),
    default: '60',
    about:
      'Catalog requests per minute and app. `app create --requests-per-minute` overrides it for one app.',
  },
  TOKEN_REQUESTS_PER_MINUTE: {
    read: integer(1, 1_000_000_000),
    default: '300',
    about:
      'Token requests, authorization requests and submitted forms per minute and client IP address, each counted separately.',
  },
  FAILED_AUTHENTICATIONS_PER_MINUTE: {
    read: integer(1, 1_000_000_000),
    default: '300',
    about:
      'Rejected bearer tokens per minute and client IP address. Further ones get 429 instead of 401.',
  },
  USER_REQUESTS_PER_MINUTE: {
    read: integer(1, 1_000_000_000),
    default: '60',
    about: 'Requests per minute that an app may send for one user: ratings, collections.',
  },
  ANONYMOUS_REQUESTS_PER_MINUTE: {
    read: integer(1, 1_000_000_000),
    default: '60',
    about: 'Requests without a token per minute and client IP address: statistics of a work.',
  },
  PAGE_REQUESTS_PER_MINUTE: {
    read: integer(1, 1_000_000_000),
    default: '240',
    about: 'Pages of the website per minute and client IP address, including search suggestions.',
  },
  UPSTREAM_PROVIDERS: {
    read: providerNames,
    default: undefined,
    about:
      'Comma-separated names, such as `google,company`, of OpenID providers with which users can sign in. Each has the settings `UPSTREAM_NAME_…`, with its name in upper case.',
  },
  DEVELOPER_REQUESTS_PER_MINUTE: {
    read: integer(1, 1_000_000_000),
    default: '60',
    about: 'Requests per minute that a user may send to manage apps.',
  },
  APPS_PER_ACCOUNT: {
    read: integer(0, 1_000_000),
    default: '20',
    about: 'Maximum number of apps per account.',
  },
  CATALOG_CACHE_MIB: {
    read: integer(0, 65_536),
    default: '64',
    about: 'Memory for cached catalog responses, in MiB, of each process or worker.',
  },
  ADULT_WORKS: {
    read: oneOf('hidden', 'blurred'),
    default: 'hidden',
    about:
      'How lists and search on pages show adult works to viewers who have not turned them on: `hidden` shows only their number, `blurred` shows their titles with blurred covers.',
  },
  IMAGES: {
    read: oneOf('on', 'off'),
    default: 'on',
    about:
      "Whether pages show the sources' pictures, which are fetched once and stored in `DATA_DIR/images`. If `off`, pages show placeholders.",
  },
  API_PICTURES: {
    read: oneOf('own', 'source'),
    default: 'own',
    about:
      'Picture URLs in API responses: `own` points to this service, which fetches and stores each picture once; `source` points to the source. `IMAGES=off` implies `source`.',
  },
  IMAGE_CACHE_MIB: {
    read: integer(0, 100_000_000),
    default: '2048',
    about:
      'Maximum size of stored pictures, in MiB, for all processes together. The least recently used are deleted first.',
  },
  IMAGE_ORIGINS: {
    read: origins,
    default: undefined,
    about:
      "Comma-separated origins from which pictures may be fetched, in addition to the sources' hosts. They may be in a private network.",
  },
  PICTURE_MIRRORS: {
    read: pictureMirrors(SOURCE_NAMES.flatMap((source) => SOURCES[source].pictureHosts)),
    default: undefined,
    about:
      "Comma-separated mirrors from which a source's pictures are fetched first: `https://lain.bgm.tv=https://mirror.example/bgm`. The source is used if a mirror fails.",
  },
  IMAGE_REQUESTS_PER_MINUTE: {
    read: integer(1, 1_000_000_000),
    default: '1200',
    about: 'Pictures per minute and client IP address. A page of a list has dozens.',
  },
  METRICS_ADDRESS: {
    read: privateHostAndPort,
    default: undefined,
    about:
      'Address and port, such as `127.0.0.1:9464`, for metrics and health checks. Must not be public; `0.0.0.0` and `::` refuse connections from public addresses. If unset, there are no metrics.',
  },
  OTEL_EXPORTER_OTLP_ENDPOINT: {
    read: url('http://collector:4318', 'http', 'https'),
    default: undefined,
    about:
      'URL of an OpenTelemetry collector that receives traces by OTLP over HTTP. If unset, there are no traces.',
    secret: 'password',
  },
  OTEL_SERVICE_NAME: {
    read: (value: string) => value,
    default: 'mokuroku',
    about: 'Name of this service in traces.',
  },
  OTEL_TRACES_SAMPLER_ARG: {
    read: share,
    default: '1',
    about:
      'Share of the traces to send, from 0 to 1. Traces started by a proxy keep its sampling decision.',
  },
  LOG_LEVEL: {
    read: oneOf('fatal', 'error', 'warn', 'info', 'debug', 'silent'),
    default: 'info',
    about: 'Minimum level to log: `fatal`, `error`, `warn`, `info`, `debug` or `silent`.',
  },
  ACCESS_LOG: {
    read: accessLogTarget,
    default: 'off',
    about:
      'Where to log one line per request: `off`, `log` (the log on standard error), `stdout`, or the path of a file, which SIGHUP reopens.',
  },
  ACCESS_LOG_FORMAT: {
    read: oneOf('json', 'combined'),
    default: 'json',
    about:
      'Format of the access log on `stdout` or in a file: JSON lines, or the combined format of Apache and nginx.',
  },
  ACCESS_LOG_SAMPLE: {
    read: integer(1, 1_000_000),
    default: '1',
    about:
      'Logs one in this many successful requests (2xx). Unsuccessful requests are always logged.',
  },
} satisfies Record<string, Setting<unknown>>

/** Settings of a sign-in provider, which follow its name. */
const UPSTREAM_SETTINGS = {
  ISSUER: {
    read: encryptedUrl('https://accounts.google.com'),
    default: undefined,
    about:
      'Issuer of the provider: the URL before `/.well-known/openid-configuration`. Must be https, except on this machine.',
  },
  CLIENT_ID: {
    read: line(255),
    default: undefined,
    about:
      'Client ID from the provider. Register the redirect URI `AUTH_URL/sign-in/with/NAME/callback` there, with the name in lower case.',
  },
  CLIENT_SECRET: {
    read: line(2_048),
    default: undefined,
    about: 'Client secret from the provider.',
    secret: 'whole',
  },
  LABEL: {
    read: line(40),
    default: undefined,
    about: 'Name of the provider on the button “Continue with …”. Defaults to the name.',
  },
} satisfies Record<string, Setting<unknown>>

type UpstreamKey = keyof typeof UPSTREAM_SETTINGS

/** Returns the settings of a sign-in provider, keyed by the end of their names. */
export function upstreamSettings(
  provider: string,
): Record<UpstreamKey, { name: string; setting: Setting<string> }> {
  const entries = Object.entries<Setting<string>>(UPSTREAM_SETTINGS).map(([key, setting]) => [
    key,
    { name: `UPSTREAM_${provider.toUpperCase()}_${key}`, setting },
  ])
  // as: the same keys
  return Object.fromEntries(entries) as Record<
    UpstreamKey,
    { name: string; setting: Setting<string> }
  >
}

/**
 * Returns every setting by its name, in the order of the documentation, including those of the providers.
 *
 * @param providers value of `UPSTREAM_PROVIDERS`
 */
export function settingsWith(providers: string | undefined): Map<string, Setting<unknown>> {
  const settings = new Map<string, Setting<unknown>>()
  for (const [name, setting] of Object.entries(SETTINGS)) {
    settings.set(name, setting)
    if (name !== 'UPSTREAM_PROVIDERS' || !providers) continue
    for (const provider of providers.split(','))
      for (const own of Object.values(upstreamSettings(provider.trim())))
        settings.set(own.name, own.setting)
  }
  return settings
}
