import { readdir, readFile } from 'node:fs/promises'
import { extname } from 'node:path'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import type { FastifyInstance } from 'fastify'
import { etagOf, matchesEtag } from '../http/wire/etag.ts'
import { IMMUTABLE } from '../http/wire/errors/headers.ts'
import { encodingFor, type ContentEncoding } from '../http/wire/content-encoding.ts'

const SOURCES = new URL('../', import.meta.url)

/** Modules of the client package, each after those that it imports. */
const SDK_MODULES = [
  'error',
  'request',
  'limits',
  'cache',
  'client',
  'tokens',
  'sign-in',
  'operations',
  'pages',
]

/**
 * Paths of the files that make up each asset, in order. A folder stands for its files of the same type.
 */
const ASSETS: Record<string, string[]> = {
  'favicon.svg': ['ui/assets/favicon.svg'],
  'favicon.ico': ['ui/assets/favicon.ico'],
  'display.woff2': ['ui/assets/display.woff2'],
  'share.png': ['ui/assets/share.png'],
  'icon-192.png': ['ui/assets/icon-192.png'],
  'icon-512.png': ['ui/assets/icon-512.png'],
  'icon-maskable.png': ['ui/assets/icon-maskable.png'],
  'style.css': [
    'ui/assets/styles/',
    'identity/',
    'site/components/',
    'site/browse/',
    'site/entry/',
    'site/home/',
    'site/library/',
    'site/search/',
  ],
  'import.css': ['site/import/'],
  'calendar.css': ['site/calendar/'],
  'viewer.js': ['site/entry/'],
  'collections.css': ['site/profile/', 'site/collections/'],
  'collections.js': ['site/collections/'],
  'desk.css': ['desk/', 'site/reports/'],
  'console.css': ['guide/code.css', 'console/'],
  'console.js': ['console/', 'guide/copy-code.js'],
  'filters.js': ['site/browse/'],
  'find.js': ['ui/assets/scripts/find.js', 'ui/assets/scripts/service-worker.js'],
  'times.js': ['ui/assets/scripts/times.js'],
  'account.js': ['identity/views/assets/account.js'],
  'countdown.js': ['ui/assets/scripts/countdown.js'],
  'library.js': ['site/library/'],
  'guide.css': ['guide/'],
  'guide.js': ['guide/guide.js', 'guide/copy-code.js'],
  'reference.js': ['guide/reference/'],
  'submit.js': ['ui/assets/scripts/submit.js'],
  'signed-out.js': ['identity/views/assets/signed-out.js'],
  'passkey.js': ['identity/views/assets/passkey.js'],
  // The client package in one file, and its types.
  'sdk.js': SDK_MODULES.map((name) => `../sdk/${name}.js`),
  'sdk.d.ts': ['openapi', 'operations', 'index'].map((name) => `../sdk/${name}.d.ts`),
  // Defines the global SimpleWebAuthnBrowser. The package exports only its modules, so this names the bundle directly.
  'simplewebauthn-browser.js': [
    new URL('../dist/bundle/index.umd.min.js', import.meta.resolve('@simplewebauthn/browser')).href,
  ],
}

const TYPES: Record<string, string> = {
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  svg: 'image/svg+xml',
  ico: 'image/vnd.microsoft.icon',
  png: 'image/png',
  webp: 'image/webp',
  woff2: 'font/woff2',
  ts: 'application/typescript; charset=utf-8',
}

/** Policy for a drawing that is opened by itself: it may contain styles, and nothing else. */
const DRAWING_POLICY = "default-src 'none'; style-src 'unsafe-inline'; sandbox"

export type OwnAssets = { assets?: ReadonlyMap<string, Buffer>; stylesheet?: string }

/** Content of an asset, compressed on first use. */
class Asset {
  readonly bytes: Buffer
  readonly etag: string
  readonly #compressed = new Map<ContentEncoding, Buffer>()

  constructor(bytes: Buffer) {
    this.bytes = bytes
    this.etag = etagOf(bytes)
  }

  /** Hash of the content for use in URLs. */
  get version() {
    return this.etag.slice(1, 11)
  }

  in(encoding: ContentEncoding): Buffer {
    const compress = encoding === 'br' ? brotliCompressSync : gzipSync
    return this.#compressed.getOrInsertComputed(encoding, () => compress(this.bytes))
  }
}

/** All assets of the pages, in memory. */
export type Assets = ReadonlyMap<string, Asset>

/**
 * Strips comments and most white space from a stylesheet. Comments alone are a quarter of its compressed size.
 */
const compactStyle = (sheet: string) =>
  sheet
    .replaceAll(/\/\*(?:[^*]|\*(?!\/))*\*\//g, '')
    .replaceAll(/([{};,])\s+/g, '$1')
    .replaceAll(/\n\s+/g, '\n')

/**
 * Removes lines that hold only a comment. A regular expression cannot tell other comments from strings.
 */
const compactScript = (script: string) =>
  script.replaceAll(/^ *(?:\/\/.*|\/\*\*(?:[^*]|\*(?!\/))*\*\/)\n/gm, '')

const isSdk = (name: string) => name.startsWith('sdk.')

/** Removes what modules import from each other, so that they can be joined to one. */
const withoutLocalImports = (module: string) =>
  module.replaceAll(/^(?:import|export) (?:type )?(?:\*|\{[^}]*\}) from '\.\/[^']*'\n/gm, '')

function compact(name: string, bytes: Buffer): Buffer {
  if (isSdk(name)) return Buffer.from(compactScript(withoutLocalImports(bytes.toString())))
  if (name.endsWith('.css')) return Buffer.from(compactStyle(bytes.toString()))
  return name.endsWith('.js') ? Buffer.from(compactScript(bytes.toString())) : bytes
}

/**
 * Reads the assets of the program.
 *
 * @param own files that replace assets or are added to them, and a stylesheet that follows the shared one
 */
export async function readAssets({
  assets: own = new Map(),
  stylesheet = '',
}: OwnAssets = {}): Promise<Assets> {
  const files = (await readdir(SOURCES, { recursive: true })).toSorted()
  const read = Object.entries(ASSETS).map(async ([name, paths]): Promise<[string, Asset]> => {
    const inside = (path: string) =>
      files.filter((file) => file.startsWith(path) && extname(file) === extname(name))
    const served = paths.flatMap((path) => (path.endsWith('/') ? inside(path) : path))
    const parts = await Promise.all(served.map((path) => readFile(new URL(path, SOURCES))))
    const added = name === 'style.css' ? [Buffer.from(stylesheet)] : []
    return [name, new Asset(compact(name, Buffer.concat([...parts, ...added])))]
  })
  const replaced = [...own].map(([name, bytes]): [string, Asset] => [name, new Asset(bytes)])
  return withVersions(new Map([...(await Promise.all(read)), ...replaced]))
}

/** Assets that load other assets. */
const LOADERS = ['style.css', 'reference.js']

/** Adds the versions of the assets that others load to their URLs. */
function withVersions(assets: Map<string, Asset>): Assets {
  const urlOf = assetUrls(assets)
  for (const loader of LOADERS) {
    const text = assets.get(loader)?.bytes.toString() ?? ''
    const versioned = text.replaceAll(/\/assets\/([\w.-]+)/g, (_, name: string) => urlOf(name))
    assets.set(loader, new Asset(Buffer.from(versioned)))
  }
  return assets
}

/** Returns the URL of an asset with its version, which may be cached for a year. */
export const assetUrls = (assets: Assets) => (name: string) => {
  const version = assets.get(name)?.version
  return version === undefined ? `/assets/${name}` : `/assets/${name}?v=${version}`
}

export async function assetRoutes(app: FastifyInstance, { assets }: { assets: Assets }) {
  for (const [name, asset] of assets) {
    const headers = {
      'content-type': TYPES[name.split('.').at(-1) ?? ''] ?? 'application/octet-stream',
      'x-content-type-options': 'nosniff',
      'cross-origin-resource-policy': 'same-origin',
      // Pages and programs on other sites import it. Deno finds the types.
      ...(isSdk(name) && {
        'cross-origin-resource-policy': 'cross-origin',
        'access-control-allow-origin': '*',
        'x-typescript-types': './sdk.d.ts',
      }),
      ...(name.endsWith('.svg') && { 'content-security-policy': DRAWING_POLICY }),
      vary: 'Accept-Encoding',
    }
    app.get<{ Querystring: { v?: unknown } }>(
      `/assets/${name}`,
      { config: { access: 'public' }, schema: { hide: true } },
      (request, reply) => {
        const encoding = encodingFor(request.headers['accept-encoding'])
        const known = request.headers['if-none-match']
        const isVersion = request.query.v === asset.version
        // Each encoding needs its own ETag, because its bytes differ (RFC 9110 §8.8.3.3).
        const etag = encoding === undefined ? asset.etag : asset.etag.replace(/"$/, `-${encoding}"`)
        void reply.headers({
          ...headers,
          etag,
          'cache-control': isVersion ? IMMUTABLE : 'public, max-age=3600',
          'x-request-id': request.id,
        })
        if (known !== undefined && matchesEtag(known, etag)) return reply.status(304).send()
        if (encoding === undefined) return reply.send(asset.bytes)
        return reply.header('content-encoding', encoding).send(asset.in(encoding))
      },
    )
  }
}
