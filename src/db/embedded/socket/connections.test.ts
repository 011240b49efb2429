import assert from 'node:assert/strict'
import { existsSync, mkdirSync, renameSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { Kysely, sql } from 'kysely'
import {
  CLIENT_PACKETS,
  hasSqlState,
  READY,
  SESSION,
  setUpSocketTest,
  until,
} from '#test/embedded-socket.ts'
import type { Tables } from '../../tables.ts'
import { openEmbedded } from '../embedded.ts'
import { connectToService } from './connect.ts'

const { packet, startup } = CLIENT_PACKETS

describe('the socket of the embedded database', () => {
  const socket = setUpSocketTest()

  describe('file', () => {
    it('is accessible only to its owner, and is removed when the service stops', async () => {
      assert.equal(statSync(socket.path).mode & 0o777, 0o600)
      await socket.stop()
      assert.ok(!existsSync(socket.path))
    })

    it('replaces the file of a process that was killed', async () => {
      await socket.stop()
      writeFileSync(socket.path, '')
      await socket.listen()
      const client = await socket.connect()
      await client.query('select 1')
    })

    it('is not created if its path is too long, and a warning is logged', async () => {
      const parts = Array.from({ length: 5 }, () => 'a'.repeat(25))
      const long = join(socket.dataDir, ...parts)
      mkdirSync(long, { recursive: true })
      await socket.close()
      await socket.stop()
      renameSync(join(socket.dataDir, 'postgres'), join(long, 'postgres'))
      const other = await openEmbedded(long)
      const otherDb = new Kysely<Tables>({ dialect: other.dialect })
      const none = await other.acceptCommands({ log: socket.log })
      await sql`select 1`.execute(otherDb)
      assert.deepEqual(socket.logged, [
        'Cannot listen for commands: they need the service to be stopped',
      ])
      assert.equal(await connectToService(long), undefined)
      await none.stop()
      await other.stopWatching()
      await otherDb.destroy()
      await other.close()
      renameSync(join(long, 'postgres'), join(socket.dataDir, 'postgres'))
      await socket.open()
      await socket.listen()
    })
  })

  describe('startup', () => {
    it('declines encryption and continues without it', async () => {
      const { until: arrives, received } = await socket.connectRaw(
        packet(80_877_103).subarray(0, 8).fill(8, 3, 4),
        packet(80_877_104).subarray(0, 8).fill(8, 3, 4),
        SESSION,
      )
      await arrives(READY)
      assert.match(received(), /^NNR/)
      assert.match(received(), /server_version\0/)
      assert.match(received(), /client_encoding\0UTF8/)
    })

    it('closes a connection that sends a cancel request', async () => {
      const { closed, received } = await socket.connectRaw(packet(80_877_102))
      await closed
      assert.equal(received(), '')
    })

    it('negotiates a later minor version and unknown options', async () => {
      const { until: arrives, received } = await socket.connectRaw(
        packet((3 << 16) + 2, ['user', 'postgres', '_pq_.new', '1']),
      )
      await arrives(READY)
      assert.ok(received().startsWith('v\0\0\0\x15\0\x03\0\0\0\0\0\x01_pq_.new\0'))
    })

    for (const [name, first, expected] of [
      ['another role', startup('user', 'root'), '28000'],
      ['another database', startup('user', 'postgres', 'database', 'x'), '3D000'],
      ['another major version', packet(2 << 16), '0A000'],
      ['an absurd length', Buffer.from([0x7f, 0, 0, 0, 0, 0, 0, 0]), '08P01'],
    ] as const)
      it(`rejects ${name}`, async () => {
        const { closed, received } = await socket.connectRaw(first)
        await closed
        assert.match(received(), new RegExp(`^E.*SFATAL\0.*C${expected}\0`, 's'))
      })

    it('rejects clients above the maximum number', async () => {
      await socket.listenWith({ maxClients: 2 })
      await socket.connect()
      const second = await socket.connect()
      await assert.rejects(socket.connect(), hasSqlState('53300'))
      await second.end()
      await until(() =>
        socket.connect().then(
          () => true,
          () => false,
        ),
      )
    })
  })
})
