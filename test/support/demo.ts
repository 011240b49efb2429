import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Demo } from '../../src/demo-file.ts'
import { requestToken } from './program.ts'

/** End of the last line that a start with a demo prints. */
export const DEMO_READY = 'page_size=5"; echo'

export const readDemo = (dataDir: string) =>
  // as: first-start.test.ts tests its format
  JSON.parse(readFileSync(join(dataDir, 'demo.json'), 'utf8')) as Demo

/** Asserts that both apps of `demo.json` without a user get tokens, by default from the service URL in the file. */
export async function assertDemoWorks(dataDir: string, url?: string) {
  const { base_url, apps } = readDemo(dataDir)
  const withoutUser = apps.filter(({ scope }) => scope.startsWith('catalog:'))
  const statuses = await Promise.all(
    withoutUser.map(async (app) => (await requestToken(url ?? base_url, app)).status),
  )
  assert.deepEqual(statuses, [200, 200])
}
