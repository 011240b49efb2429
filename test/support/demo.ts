import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Demo } from '../../src/demo-file.ts'
import { requestToken } from './program.ts'

/** The end of the last line a start with a demo prints. */
export const DEMO_IS_TOLD = 'page_size=5"; echo'

export const readDemo = (dataDir: string) =>
  // as: first-start.test.ts tests its shape
  JSON.parse(readFileSync(join(dataDir, 'demo.json'), 'utf8')) as Demo

/** Both apps of `demo.json` that need no user get tokens; by default, where it says that the service is. */
export async function assertDemoWorks(dataDir: string, url?: string) {
  const { base_url, apps } = readDemo(dataDir)
  const withoutUser = apps.filter(({ scope }) => scope.startsWith('catalog:'))
  const statuses = await Promise.all(
    withoutUser.map(async (app) => (await requestToken(url ?? base_url, app)).status),
  )
  assert.deepEqual(statuses, [200, 200])
}
