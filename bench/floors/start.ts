import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { MALLOC, V8 } from '../../bin/serving-options.ts'
import type { ServerProcess } from '../support/children.ts'
import { compare, type Comparison } from '../support/rounds.ts'
import type { Service } from '../support/service.ts'
import { speedOf } from '../support/speed.ts'
import type { Stage } from '../support/stage.ts'

/**
 * Compares requests for a URL of the service with requests to a bare server that sends the same bytes.
 *
 * @param load headers of the measured requests, if they differ
 */
export async function compareWithBytes(
  stage: Stage,
  service: Service,
  { url, headers }: { url: string; headers: Record<string, string> },
  load = headers,
): Promise<Comparison> {
  const floor = await startBytesOf(stage, url, headers)
  const comparison = await compare(
    stage,
    speedOf(stage, floor, { url: floor.url }),
    speedOf(stage, service, { url, headers: load }),
  )
  await floor.stop()
  return comparison
}

/** Starts a bare server that sends the bytes of a response. */
export async function startBytesOf(
  stage: Stage,
  url: string,
  headers: Record<string, string>,
): Promise<ServerProcess> {
  const response = await fetch(url, { headers })
  if (!response.ok)
    throw new Error(`The service answers ${response.status}: ${await response.text()}`)
  const file = join(stage.folder, 'body.json')
  writeFileSync(file, Buffer.from(await response.arrayBuffer()))
  return stage.children.serve([process.execPath, pathOf('same-bytes.ts'), file])
}

/** Starts bare oidc-provider with one client: for its own tokens, or with the code flow for a user who is signed in. */
export function startBareProvider(
  stage: Stage,
  floor: 'bare-oidc.ts' | 'bare-flow.ts',
  { clientId, secret }: { clientId: string; secret: string },
): Promise<ServerProcess> {
  return stage.children.serve([
    process.execPath,
    pathOf(floor),
    clientId,
    secret,
    'https://api.example.org/open',
  ])
}

/** Starts a bare server with the options of the service. It never responds to requests with `wait`. */
export const startNeverEnding = (stage: Stage): Promise<ServerProcess> =>
  stage.children.serve([process.execPath, ...Object.values(V8), pathOf('never-ending.ts')], MALLOC)

const pathOf = (file: string) => fileURLToPath(new URL(file, import.meta.url))
