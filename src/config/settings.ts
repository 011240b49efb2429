import { resolve } from 'node:path'
import { SOURCE_NAMES, SOURCES, type SourceName } from '../sources/registry.ts'
import {
  address,
  contact,
  encryptedAddress,
  flag,
  host,
  integer,
  mailbox,
  oneOf,
  origin,
  origins,
  secret,
  workerCount,
} from './setting-readers.ts'

/** A setting: how it is read, its default, and its description in the documentation. */
export type Setting<Value> = {
  /** @throws {Error} whose message completes "NAME must be …" */
  read: (text: string) => Value
  /** Default as it would be written in the environment. If `undefined`, the setting may stay unset. */
  default: string | undefined
  /** One sentence for `.env.example` and `docs/operations.md`. */
  about: string
  /**
   * Whether the value, or the `password` within it, is secret. Secrets are never printed, and may be read from the file in
   * `NAME_FILE`.
   */
  secret?: 'whole' | 'password'
}

export const dumpUrlSetting = (source: SourceName) =>
  // as: the same text in upper case
  `${source.toUpperCase() as Uppercase<SourceName>}_DUMP_URL` as const

const DUMP_URLS = Object.fromEntries(
  SOURCE_NAMES.toSorted().map((source): [string, Setting<string>] => [
    dumpUrlSetting(source),
    {
      read: address('https://host/file', 'https', 'http'),
      default: SOURCES[source].dump.url,
      about: `Where \`mokuroku update\` finds the newest dump of ${SOURCES[source].dump.title}: the file, or a \`.json\` that names it as GitHub does.`,
    },
  ]),
  // as: one setting per source
) as Record<ReturnType<typeof dumpUrlSetting>, Setting<string>>

/** All settings, in the order of the documentation. An empty value counts as unset. */
export const SETTINGS = {
  HOST: {
    read: host,
    default: 'localhost',
    about:
      'Address to listen on; `localhost` is 127.0.0.1 and ::1, `0.0.0.0` or `::` every network.',
  },
  PORT: {
    read: integer(0, 65_535),
    default: '14790',
    about: 'Port to listen on; 0 takes a free one.',
  },
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
    about:
      'Address of the catalog and the developer API as the world sees it. By default `AUTH_URL`.',
  },
  TRUSTED_PROXIES: {
    read: integer(0, 10),
    default: '0',
    about:
      'How many reverse proxies stand in front and add to `X-Forwarded-For`; the client is so many addresses from its end.',
  },
  MAX_CONNECTIONS: {
    read: integer(1, 1_000_000),
    default: '10000',
    about:
      'Connections of clients a process keeps open, each worker by itself; more are answered 503. Have `ulimit -n` some thousand higher.',
  },
  WORKERS: {
    read: workerCount,
    default: '1',
    about:
      'Processes that answer requests, with a PostgreSQL server; `auto` is one for each core, and one with the embedded database.',
  },
  DATABASE_URL: {
    read: address('postgres://user:password@host/database', 'postgres', 'postgresql'),
    default: undefined,
    about:
      'A PostgreSQL server (15 or newer): `postgres://user:password@host/database`. Unset: the embedded database in `DATA_DIR`, for one process.',
    secret: 'password',
  },
  DATABASE_POOL_SIZE: {
    read: integer(1, 100),
    default: '8',
    about:
      'Connections each process, and so each worker, keeps to the server; small pools are faster on few cores.',
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
  ...DUMP_URLS,
  BANGUMI_API_URL: {
    read: encryptedAddress('https://api.bgm.tv'),
    default: 'https://api.bgm.tv',
    about:
      'Where `mokuroku import bangumi --pictures` asks for pictures; http only of this machine.',
  },
  BANGUMI_REQUESTS_PER_MINUTE: {
    read: integer(1, 600),
    default: '60',
    about: 'How many pictures it asks for in a minute.',
  },
  MAX_DUMP_MIB: {
    read: integer(1, 1_000_000),
    default: '8192',
    about: 'The largest dump that `mokuroku update` fetches, in MiB.',
  },
  REDIS_URL: {
    read: address('redis://host:6379', 'redis', 'rediss'),
    default: undefined,
    about:
      'A Redis server that counts the requests of applications for several services. Unset: each counts for itself, with all its workers.',
    secret: 'password',
  },
  SECRET_KEY: {
    read: secret,
    default: undefined,
    about:
      'Encrypts the signing keys and the secrets of authenticator apps in the database. Keep it: without it they cannot be read again.',
    secret: 'whole',
  },
  SMTP_URL: {
    read: address('smtp://user:password@host:587', 'smtp', 'smtps'),
    default: undefined,
    about:
      'The server that sends mail: `smtp://user:password@host:587`, or `smtps://…:465`. Unset: mails are written to `DATA_DIR/outbox`, and their links to the log.',
    secret: 'whole',
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
  ANONYMOUS_REQUESTS_PER_MINUTE: {
    read: integer(1, 1_000_000_000),
    default: '60',
    about: 'Requests without a token a client address may make in a minute: statistics of a work.',
  },
  PAGE_REQUESTS_PER_MINUTE: {
    read: integer(1, 1_000_000_000),
    default: '240',
    about:
      'Pages of the catalog a client address may look at in a minute, search as somebody types among them.',
  },
  SECURITY_CONTACT: {
    read: contact,
    default: undefined,
    about:
      'Where faults of security are reported, `mailto:security@host` or an https address; `/.well-known/security.txt` names it, and who cannot sign in any more is told to write there. Unset: the address of `MAIL_FROM`.',
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
    about: 'Memory for catalog answers kept ready, in MiB, in each worker.',
  },
  IMAGES: {
    read: oneOf('on', 'off'),
    default: 'on',
    about:
      "Whether pages show the sources' pictures, fetched once and kept in `DATA_DIR/images`; else placeholders.",
  },
  API_PICTURES: {
    read: oneOf('own', 'source'),
    default: 'own',
    about:
      'Picture URLs in API responses: `own` points to this service, which fetches each picture once and keeps it; `source` points to the source. `IMAGES=off` implies `source`.',
  },
  IMAGE_CACHE_MIB: {
    read: integer(0, 100_000_000),
    default: '2048',
    about:
      'Pictures kept on disk, in MiB, by all processes together; the least recently used go first.',
  },
  IMAGE_ORIGINS: {
    read: origins,
    default: undefined,
    about:
      'Where else pictures may be fetched from than from the hosts of the sources: origins with commas between, of a private network too.',
  },
  IMAGE_REQUESTS_PER_MINUTE: {
    read: integer(1, 1_000_000_000),
    default: '1200',
    about: 'Pictures a client address may ask for in a minute; a page of a list has dozens.',
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
