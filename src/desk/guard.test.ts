import assert from 'node:assert/strict'
import { it } from 'node:test'
import type { PageReader } from '../ui/page/site.ts'
import { isFresh } from './guard.ts'

it('a sign-in allows actions at the desk for half an hour', () => {
  // as: the only field read
  const reader = { signedInAt: 1_000 } as PageReader
  assert.ok(isFresh(reader, (1_000 + 30 * 60) * 1_000 - 1))
  assert.ok(!isFresh(reader, (1_000 + 30 * 60) * 1_000))
})
