import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { ServerProcess } from '../support/children.ts'
import type { Service } from '../support/service.ts'
import type { Stage } from '../support/stage.ts'

/** Starts a bare server that sends the bytes the service sends for this galgame. */
export const startSameBytes = (
  stage: Stage,
  service: Service,
  id: number,
): Promise<ServerProcess> => startBytesOf(stage, service.detail(id), service.headers)

/** Starts a bare server that sends the bytes of a URL's response. */
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

/** Starts bare oidc-provider with one client. */
export function startBareOidc(
  stage: Stage,
  { clientId, secret }: { clientId: string; secret: string },
): Promise<ServerProcess> {
  return stage.children.serve([
    process.execPath,
    pathOf('bare-oidc.ts'),
    clientId,
    secret,
    'https://api.example.org/open',
  ])
}

/** Starts bare oidc-provider with the code flow, for a user who is always signed in. */
export function startBareFlow(
  stage: Stage,
  { clientId, secret }: { clientId: string; secret: string },
): Promise<ServerProcess> {
  return stage.children.serve([
    process.execPath,
    pathOf('bare-flow.ts'),
    clientId,
    secret,
    'https://api.example.org/open',
  ])
}

const pathOf = (file: string) => fileURLToPath(new URL(file, import.meta.url))
