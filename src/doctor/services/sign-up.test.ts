import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { addAccount } from '#test/accounts.ts'
import { codesOf, examineInstallation } from '#test/examination.ts'
import { startService } from '#test/service.ts'
import { setRole } from '../../accounts/role-queries.ts'

describe('the sign-up check', () => {
  it('reports that no administrator can approve accounts', async () => {
    const service = await startService({ content: 'empty' })
    const codes = async (mode: string) =>
      codesOf(
        await examineInstallation({ database: service.config, environment: { SIGN_UP: mode } }),
        'sign_up',
      )
    try {
      assert.deepEqual(await codes('approval'), ['warning sign_up.no_administrator'])
      assert.deepEqual(await codes('open'), [])
      const id = await addAccount(service.db, {
        email: 'ann@example.org',
        name: 'Ann',
        password: 'a long enough one',
      })
      await setRole(service.db, id, 'ADMIN')
      assert.deepEqual(await codes('approval'), [])
    } finally {
      await service.close()
    }
  })
})
