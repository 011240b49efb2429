import assert from 'node:assert/strict'
import type { Socket } from 'node:net'
import { describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { SESSION, setUpSocketTest } from '#test/embedded-socket.ts'
import { seedRandom } from '#test/seeded-random.ts'
import { CLIENT_MESSAGES } from './message-reader.ts'
import { message, query } from './messages.ts'

describe('the socket of the embedded database', () => {
  const socket = setUpSocketTest()

  describe('malformed input', () => {
    const isAlive = async () => {
      const client = await socket.connect()
      assert.equal((await client.query('select 1 as a')).rows[0].a, 1)
      await client.end()
      await socket.texts()
    }

    for (const [name, bytes] of [
      ['an unknown type', Buffer.from('~\0\0\0\x04')],
      ['a negative length', Buffer.from([0x51, 0xff, 0xff, 0xff, 0xff])],
      ['a length above the limit', Buffer.from([0x51, 0x40, 0, 0, 0])],
      ['a name without an end', message('B', Buffer.from('abc'))],
      ['a message within COPY', Buffer.concat([query('copy notes from stdin'), query('select 1')])],
      ['a function call', message('F', Buffer.alloc(10))],
    ] as const)
      it(`with ${name} disconnects that client only`, async () => {
        const other = await socket.connect()
        const raw = await socket.connectRaw(SESSION, bytes)
        await raw.closed
        assert.match(raw.received(), /SFATAL\0/)
        await other.query('select 1')
        await isAlive()
      })

    it('leaves the service running, even if it is random', async () => {
      const random = seedRandom('malformed input of the socket')
      const bytes = (length: number) => Buffer.from(Array.from({ length }, () => random.below(256)))
      const TYPES = [...CLIENT_MESSAGES, '\0', '~']
      const STATEMENTS = [
        'select 1',
        'begin',
        'commit',
        'selec',
        'copy notes from stdin',
        'deallocate all',
        'select 1; copy notes from stdin',
        'copy notes to stdout',
        'set role none',
        '',
      ]
      const sockets: Socket[] = []
      for (let round = 0; round < 200; round += 1) {
        const parts = Array.from({ length: 1 + random.below(8) }, () => {
          const type = random.pick(TYPES)
          const content = random.pick([
            () => bytes(random.below(40)),
            () => Buffer.from(`${random.pick(STATEMENTS)}\0`),
            () => Buffer.from(`\0${random.pick(STATEMENTS)}\0\0\0`),
            () => Buffer.from('\0\0\0\0\0\0\0\0'),
            () => Buffer.from('Sx\0'),
            () => Buffer.alloc(0),
          ])()
          return message(type, content)
        })
        const first = random.pick([SESSION, SESSION, SESSION, bytes(random.below(30))])
        const whole = Buffer.concat([first, ...parts])
        const raw = await socket.connectRaw(whole.subarray(0, 1 + random.below(whole.length)))
        sockets.push(raw.socket)
        if (round % 20 === 19) {
          await sleep(10)
          for (const socket of sockets.splice(0)) socket.destroy()
          await isAlive()
        }
      }
    })
  })
})
