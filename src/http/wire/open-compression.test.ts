import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { openCompressed } from './open-compression.ts'

const DECODERS = { br: brotliDecompressSync, gzip: gunzipSync }

describe('a body whose end is appended after compression', () => {
  for (const [encoding, decode] of Object.entries(DECODERS) as ['br' | 'gzip', typeof gunzipSync][])
    it(`decompresses to the beginning followed by the appended end: ${encoding}`, async () => {
      for (const length of [1, 2_000, 300_000]) {
        const start = Buffer.from('見出し {"id":1} '.repeat(length)).subarray(0, length)
        const open = await openCompressed(start, encoding)
        for (const text of ['x', ',"request_id":"b1946ac92492-1"}', '終'.repeat(20_000)]) {
          const end = Buffer.from(text)
          assert.deepEqual(decode(open.close(end)), Buffer.concat([start, end]))
        }
        if (length > 1_000) assert.ok(open.close(Buffer.from('x')).length < length / 4)
      }
    })
})
