import assert from 'node:assert/strict'
import { statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { temporaryFolder } from '#test/program.ts'
import { makeFolder } from './make-folder.ts'

describe('a folder', () => {
  let folder: string
  let remove: () => void
  before(() => ({ path: folder, remove } = temporaryFolder()))
  after(() => remove())

  it('is created together with its missing parents, with the given permissions', async () => {
    await makeFolder(join(folder, 'a', 'b', 'c'), 0o700)
    for (const path of ['a', 'a/b', 'a/b/c'])
      assert.equal(statSync(join(folder, path)).mode & 0o777, 0o700, path)
    await makeFolder(join(folder, 'a', 'b', 'c'))
    await Promise.all(Array.from({ length: 5 }, () => makeFolder(join(folder, 'x', 'y'))))
    assert.ok(statSync(join(folder, 'x', 'y')).isDirectory())
  })

  it('is not created in place of a file, inside a file, or where the file system refuses', async () => {
    const file = join(folder, 'file')
    writeFileSync(file, '')
    await assert.rejects(makeFolder(file), { code: 'EEXIST' })
    await assert.rejects(makeFolder(join(file, 'below')), { code: 'ENOTDIR' })
    await assert.rejects(makeFolder('/proc/none/below'), { code: 'ENOENT' })
  })
})
