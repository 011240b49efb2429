import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, it } from 'node:test'
import { describeOnDatabase } from '#test/databases.ts'
import { createClient, createUser, completeFlow } from '#test/authorization.ts'
import { PlainBrowser } from '#test/browser.ts'
import { freePort } from '#test/free-port.ts'
import { startProgram, temporaryFolder } from '#test/program.ts'
import type { TestService } from '#test/service.ts'
import { shareService } from '#test/shared-service.ts'

describeOnDatabase('examples/sign-in.mjs', (engine) => {
  let service: TestService
  before(async () => {
    service = await shareService(engine)
  })
  after(() => service.close())

  it('signs a user in', async () => {
    const user = await createUser(service, 'Ann')
    const redirectUri = `http://127.0.0.1:${await freePort()}/callback`
    const app = await createClient(service, { clientType: 'public', redirectUris: [redirectUri] })
    const { path, remove } = temporaryFolder()
    const demo = join(path, 'demo.json')
    const apps = [
      {
        client_id: app.clientId,
        client_type: 'public',
        scope: 'status:write',
        redirect_uris: [redirectUri],
      },
    ]
    writeFileSync(demo, JSON.stringify({ base_url: service.url, apps }))
    const program = startProgram([process.execPath, 'examples/sign-in.mjs', demo])
    try {
      await program.waitForOutput('Open this')
      const [, url = ''] = /^(http\S+)$/m.exec(program.output()) ?? []
      const browser = new PlainBrowser(service.url)
      const { location = '' } = await completeFlow(browser, await browser.get(url), user)
      assert.equal(await (await fetch(location)).text(), 'Done. You can close this page.')
      const { status, output } = await program.ended
      assert.equal(status, 0)
      assert.match(output, /Granted: openid profile email offline_access status:write/)
      assert.match(output, /name: 'Ann'/)
      const [, token = ''] = /^USER_TOKEN=(\S+)$/m.exec(output) ?? []
      const rated = await fetch(`${service.url}/v3/user/me/rates/galgames/1`, {
        method: 'PUT',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: '{"status": "COMPLETED", "rate": 8.5}',
      })
      assert.equal(rated.status, 200)
    } finally {
      await program.end()
      remove()
    }
  })
})
