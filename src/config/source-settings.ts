import { SOURCE_NAMES, SOURCES, type SourceName } from '../sources/registry.ts'
import type { Setting } from './setting.ts'
import {
  encryptedUrl,
  integer,
  oneOf,
  origins,
  pictureMirrors,
  proxy,
  proxyExceptions,
  url,
} from './setting-readers.ts'

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

/** Settings of dumps and pictures, and of the requests that fetch them. */
export const SOURCE_SETTINGS = {
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
} satisfies Record<string, Setting<unknown>>
