import assert from 'node:assert/strict'
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { temporaryFolder } from '#test/program.ts'
import { digestFile, imageFile, unpackCluster } from './cluster.ts'

describe('unpackCluster', () => {
  it('rejects a damaged image with its file name and advice', async () => {
    const { path, remove } = temporaryFolder()
    try {
      const whole = readFileSync(imageFile('empty'))
      const changed = Buffer.from(whole)
      changed.fill(0xff, 1_000, 2_000)
      for (const [name, bytes] of Object.entries({
        cut: whole.subarray(0, whole.length / 2),
        changed,
        noise: Buffer.from('no image at all'),
      })) {
        const file = join(path, name)
        writeFileSync(file, bytes)
        copyFileSync(digestFile(imageFile('empty')), digestFile(file))
        await assert.rejects(unpackCluster(file, join(path, `${name}.unpacked`)), {
          message: `${file} is damaged: install mokuroku again, or run npm run build in a checkout`,
        })
      }
    } finally {
      remove()
    }
  })
})
