import type { Metafile } from 'esbuild'
import { execFileSync } from 'node:child_process'
import { hash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { BUILT, ROOT } from '../bin/built.ts'
import { listBundledPackages } from './licenses.ts'

type Property = { name: string; value: string }
type Component = {
  'bom-ref': string
  type: string
  name: string
  version: string
  scope?: string
  purl: string
  properties?: Property[]
}
/** The used part of CycloneDX 1.5. */
type Sbom = {
  serialNumber: string
  metadata: { timestamp: string; component: Component }
  components: Component[]
  dependencies: { ref: string; dependsOn: string[] }[]
}

/** Property with which npm marks packages that are only in `devDependencies`. */
const DEVELOPMENT = 'cdx:npm:package:development'
const BUNDLED: Property = { name: 'cdx:npm:package:bundled', value: 'true' }

/**
 * Describes the published package as CycloneDX: the packages in the bundle, which npm regards as development
 * dependencies, those that npm installs with it, and PostgreSQL, which PGlite contains.
 *
 * @param metafile esbuild's metadata about the bundle in `dist/`
 * @param time of the release
 */
export function makeSbom(metafile: Metafile, time: Date): string {
  // as: the output of npm
  const all = JSON.parse(
    execFileSync(
      'npm',
      ['sbom', '--sbom-format=cyclonedx', '--package-lock-only', '--workspaces=false'],
      { cwd: ROOT, encoding: 'utf8', maxBuffer: 2 ** 26 },
    ),
  ) as Sbom
  const bundled = new Set(listBundledPackages(metafile).map(refOf))
  const own = all.metadata.component
  const components = all.components.flatMap((component) => {
    const { properties = [], ...rest } = component
    if (bundled.has(component['bom-ref']))
      return { ...rest, scope: 'required', properties: [BUNDLED] }
    return properties.some(({ name }) => name === DEVELOPMENT) ? [] : component
  })
  const refs = new Set([own['bom-ref'], ...components.map((component) => component['bom-ref'])])
  const missing = bundled.difference(refs)
  if (missing.size > 0) throw new Error(`The lockfile lacks ${[...missing].join(', ')}.`)
  const postgres = describePostgres()
  const content = {
    ...all,
    metadata: {
      ...all.metadata,
      timestamp: time.toISOString(),
      // npm uses the name of the folder.
      component: { ...own, type: 'application', name: 'mokuroku' },
    },
    components: [...components, postgres],
    dependencies: [
      ...all.dependencies
        .filter(({ ref }) => refs.has(ref))
        .map(({ ref, dependsOn }) => ({
          ref,
          dependsOn: [
            ...dependsOn.filter((other) => refs.has(other)),
            ...(ref.startsWith('@electric-sql/pglite@') ? [postgres['bom-ref']] : []),
          ],
        })),
      { ref: postgres['bom-ref'], dependsOn: [] },
    ],
    serialNumber: '',
  }
  content.serialNumber = `urn:uuid:${uuidOf(JSON.stringify(content))}`
  return `${JSON.stringify(content, undefined, 2)}\n`
}

function refOf(folder: string) {
  // as: every package has these fields
  const { name, version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
    name: string
    version: string
  }
  return `${name}@${version}`
}

function describePostgres(): Component {
  const binary = readFileSync(join(BUILT, 'pglite.wasm'), 'latin1')
  const version = /PostgreSQL (\d+\.\d+)/.exec(binary)?.[1]
  if (version === undefined) throw new Error('pglite.wasm does not name its version of PostgreSQL.')
  const ref = `postgresql@${version}`
  return {
    'bom-ref': ref,
    type: 'application',
    name: 'postgresql',
    version,
    scope: 'required',
    purl: `pkg:generic/${ref}`,
    properties: [BUNDLED],
  }
}

/** Returns a UUID of version 8 (RFC 9562) that depends on a text only. */
function uuidOf(text: string): string {
  const digits = hash('sha256', text, 'hex')
  return digits.replace(
    /^(.{8})(.{4}).(.{3}).(.{3})(.{12}).*$/,
    (_, a: string, b: string, c: string, d: string, e: string) => `${a}-${b}-8${c}-8${d}-${e}`,
  )
}
