import { open, readFile, rename } from 'node:fs/promises'
import { dirname } from 'node:path'
import { errorCode } from './kernel/error-code.ts'
import { makeFolder } from './kernel/make-folder.ts'

/** Content of `DATA_DIR/demo.json`: everything needed to try the service, secrets included. */
export type Demo = {
  base_url: string
  /** The password is missing if the owner has set their own. */
  account: { email: string; password?: string }
  apps: DemoApp[]
  /** Random id of the renewal that wrote the file. Missing while the secrets are the original ones. */
  renewal?: string
}
export type DemoApp = {
  client_id: string
  client_secret?: string
  client_type: 'confidential' | 'public'
  scope: string
  redirect_uris: string[]
}

/**
 * Reads `demo.json`.
 *
 * @returns `missing` if there is no such file, `broken` if its content is not what `writeDemoFile` writes
 * @throws {Error} if the file exists but cannot be read
 */
export async function readDemoFile(path: string): Promise<Demo | 'missing' | 'broken'> {
  let text: string
  try {
    text = await readFile(path, 'utf8')
  } catch (cause) {
    if (errorCode(cause) === 'ENOENT') return 'missing'
    throw new Error(
      `${path} cannot be read (${errorCode(cause) ?? String(cause)}): ` +
        'make it readable for the user that runs mokuroku, or move it away to have its secrets renewed.',
      { cause },
    )
  }
  try {
    const demo: unknown = JSON.parse(text)
    return isDemo(demo) ? demo : 'broken'
  } catch {
    return 'broken'
  }
}

function isDemo(value: unknown): value is Demo {
  // as: every relevant field is checked
  const { account, apps } = (value ?? {}) as Partial<Demo>
  return (
    typeof account?.email === 'string' &&
    Array.isArray(apps) &&
    apps.every((app: Partial<DemoApp> | null) => typeof app?.client_id === 'string')
  )
}

/** Replaces `demo.json` atomically. Only its owner can read it. */
export async function writeDemoFile(path: string, demo: Demo) {
  await makeFolder(dirname(path), 0o700)
  const file = await open(`${path}.new`, 'w', 0o600)
  try {
    await file.chmod(0o600)
    await file.writeFile(`${JSON.stringify(demo, undefined, 2)}\n`)
    await file.sync()
  } finally {
    await file.close()
  }
  await rename(`${path}.new`, path)
}
