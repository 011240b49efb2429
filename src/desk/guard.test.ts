import assert from 'node:assert/strict'
import { it } from 'node:test'
import type { PageViewer } from '../ui/page/site.ts'
import { isRecentSignIn } from '../ui/recent-sign-in.ts'

it('a sign-in allows actions at the desk for half an hour', () => {
  // as: the only field read
  const viewer = { signedInAt: 1_000 } as PageViewer
  assert.ok(isRecentSignIn(viewer, (1_000 + 30 * 60) * 1_000 - 1))
  assert.ok(!isRecentSignIn(viewer, (1_000 + 30 * 60) * 1_000))
})
