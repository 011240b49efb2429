import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { sendTokenRequest } from '#test/authorization.ts'
import { recordComparisons } from '#test/constant-time-comparisons.ts'
import { describeOnDatabase } from '#test/databases.ts'
import { startService, type TestApp, type TestService } from '#test/service.ts'
import { statementsOf } from '#test/statements.ts'

describeOnDatabase('a client secret', (engine) => {
  let service: TestService
  let app: TestApp
  before(async () => {
    service = await startService({ engine, content: 'empty' })
    app = await service.createApp()
    // Fills the caches first.
    await send(app)
  })
  after(() => service.close())

  const send = async (client: TestApp) =>
    (
      await sendTokenRequest(service, client, {
        grant_type: 'client_credentials',
        scope: 'catalog:full',
      })
    ).status
  const wrong = () => {
    const changed = (at: number) => {
      const letter = app.secret[at] === 'A' ? 'B' : 'A'
      return app.secret.slice(0, at) + letter + app.secret.slice(at + 1)
    }
    return {
      'wrong in its first character': changed(4),
      'wrong in its last character': changed(app.secret.length - 2),
      'too short': app.secret.slice(0, 8),
      'too long': app.secret + app.secret,
    }
  }

  it('is compared by hash in constant time, whatever its length', async () => {
    const right = await recordComparisons(async () => assert.equal(await send(app), 200))
    // Compares the current and the previous hash, even if there is no previous one.
    assert.deepEqual(right, [43, 43])
    // A refusal compares both hashes again, to decide whether the caller may learn the reason.
    const refused = [...right, ...right]
    for (const [name, secret] of Object.entries(wrong())) {
      const compared = await recordComparisons(async () =>
        assert.equal(await send({ ...app, secret }), 401, name),
      )
      assert.deepEqual(compared, refused, name)
    }
  })

  it('is rejected after the same database statements, whether the app exists or not', async () => {
    const statements = async (client: TestApp) =>
      (await statementsOf(() => send(client)))
        .map(({ sql }) => sql)
        .filter((text) => /\bapps\b/.test(text))
    const secret = wrong()['wrong in its first character']
    const known = await statements({ ...app, secret })
    assert.ok(known.length > 0)
    assert.deepEqual(await statements({ clientId: `mk_${'x'.repeat(16)}`, secret }), known)
  })
})
