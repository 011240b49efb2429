import assert from 'node:assert/strict'
import { Server } from 'node:http'
import { describe, it } from 'node:test'
import { warnForwarded } from '../src/operations/warn-forwarded.ts'
import { startService } from '#test/service.ts'

const FORWARDED = /^Requests have X-Forwarded-For headers, but TRUSTED_PROXIES is 0/

describe('requests with X-Forwarded-For', () => {
  for (const [trusted, warnings] of [
    ['0', 1],
    ['1', 0],
  ] as const)
    it(`trigger ${warnings ? 'one warning' : 'no warning'} with TRUSTED_PROXIES=${trusted}`, async () => {
      const service = await startService({
        content: 'empty',
        environment: { TRUSTED_PROXIES: trusted },
      })
      try {
        for (let request = 0; request < 3; request += 1)
          await service.get('/health/live', undefined, { 'x-forwarded-for': '203.0.113.7' })
        const lines = service.logged.filter(({ msg }) => FORWARDED.test(String(msg)))
        assert.equal(lines.length, warnings)
      } finally {
        await service.close()
      }
    })

  for (const [sender, warnings] of [
    ['::ffff:10.0.0.1', 1],
    ['fd00::1', 1],
    ['8.8.8.8', 0],
    ['::ffff:8.8.8.8', 0],
    ['2606:4700::1', 0],
  ] as const)
    it(`trigger ${warnings ? 'a warning' : 'no warning'} if sent by ${sender}`, () => {
      const server = new Server()
      const lines: string[] = []
      warnForwarded(server, 0, { warn: (line: unknown) => void lines.push(String(line)) })
      const headers = { 'x-forwarded-for': '203.0.113.7' }
      server.emit('request', { headers, socket: { remoteAddress: sender } })
      assert.equal(lines.length, warnings)
    })

  for (const [trusted, forwarded, warning] of [
    [1, '8.8.8.8', undefined],
    [1, '10.0.0.5', undefined],
    [1, '1.1.1.1, 8.8.8.8', undefined],
    [1, '8.8.8.8, 10.0.0.5', /^X-Forwarded-For names more reverse proxies than TRUSTED_PROXIES/],
    [2, '8.8.8.8, 10.0.0.5', undefined],
    [2, '8.8.8.8', /^X-Forwarded-For has fewer entries than TRUSTED_PROXIES/],
  ] as const)
    it(`trigger ${warning ? 'a warning' : 'no warning'} with TRUSTED_PROXIES=${trusted} and the addresses ${forwarded}`, () => {
      const server = new Server()
      const lines: string[] = []
      warnForwarded(server, trusted, { warn: (line: unknown) => void lines.push(String(line)) })
      const request = {
        headers: { 'x-forwarded-for': forwarded },
        socket: { remoteAddress: '127.0.0.1' },
      }
      for (let count = 0; count < 2; count += 1) server.emit('request', request)
      assert.equal(lines.length, warning ? 1 : 0)
      if (warning) assert.match(lines[0] ?? '', warning)
    })
})
