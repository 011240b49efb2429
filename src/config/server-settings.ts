import type { Setting } from './setting.ts'
import { host, integer, oneOf, origin, url, workerCount } from './setting-readers.ts'

/** Settings of the server: addresses, processes and limits of requests. */
export const SERVER_SETTINGS = {
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
  MAX_WAITING_REQUESTS: {
    read: integer(0, 1_000_000),
    default: '5000',
    about:
      'Maximum number of requests that may wait for catalog changes (`wait`) in each process or worker. Further ones get 503.',
  },
  MAX_WAITING_REQUESTS_PER_APP: {
    read: integer(0, 1_000_000),
    default: '500',
    about:
      'Maximum number of requests of one app that may wait in each process or worker. Further ones get 429.',
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
  CATALOG_CACHE_MIB: {
    read: integer(0, 65_536),
    default: '64',
    about: 'Memory for cached catalog responses, in MiB, of each process or worker.',
  },
  REDIS_URL: {
    read: url('redis://host:6379', 'redis', 'rediss'),
    default: undefined,
    about:
      'URL of a Redis server that counts the requests of apps for several services. If unset, each service counts for itself, across its workers.',
    secret: 'password',
  },
  MCP: {
    read: oneOf('on', 'off'),
    default: 'on',
    about:
      'Whether agents can call tools at `/mcp` (Model Context Protocol), for users who allow them.',
  },
  CLIENT_DOCUMENTS: {
    read: oneOf('on', 'off'),
    default: 'on',
    about:
      'Whether users can allow apps that are not registered here but described by a document at their own https URL, as many agents are.',
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
      'Rejected bearer tokens and feed secrets per minute and client IP address. Further ones get 429 instead of 401 or 404.',
  },
  USER_REQUESTS_PER_MINUTE: {
    read: integer(1, 1_000_000_000),
    default: '60',
    about: 'Requests per minute that an app may send for one user: ratings, collections.',
  },
  ANONYMOUS_REQUESTS_PER_MINUTE: {
    read: integer(1, 1_000_000_000),
    default: '60',
    about:
      'Requests without a token per minute and client IP address: statistics of a work, and the catalog with `ANONYMOUS_CATALOG`.',
  },
  ANONYMOUS_CATALOG: {
    read: oneOf('on', 'off'),
    default: 'off',
    about: 'Whether the catalog API answers requests without a token. They never see adult works.',
  },
  PAGE_REQUESTS_PER_MINUTE: {
    read: integer(1, 1_000_000_000),
    default: '240',
    about: 'Pages of the website per minute and client IP address, including search suggestions.',
  },
  IMAGE_REQUESTS_PER_MINUTE: {
    read: integer(1, 1_000_000_000),
    default: '1200',
    about: 'Pictures per minute and client IP address. A page of a list has dozens.',
  },
  DEVELOPER_REQUESTS_PER_MINUTE: {
    read: integer(1, 1_000_000_000),
    default: '60',
    about: 'Requests per minute that a user may send to manage apps.',
  },
} satisfies Record<string, Setting<unknown>>
