import assert from 'node:assert/strict'
import { glob, readFile } from 'node:fs/promises'
import { describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'

const ROOT = fileURLToPath(new URL('..', import.meta.url))

/** Reading a message: what it says is for people, and a better word must not change what the program does. */
const READS_MESSAGE =
  /\b\w*(?:[mM]essage|[rR]eason|[rR]emark|[dD]escription)\.(?:startsWith|endsWith|includes|match|split|search)\(|\.(?:test|exec)\((?:\w+\.)*\w*(?:[mM]essage|[rR]eason|[rR]emark)\)/

/** Files that read messages, with the reason. */
const ALLOWED: Record<string, string> = {
  'bin/explain-failure.ts': 'pg has no codes for failed connections',
  'src/db/directory-lock.ts': 'node:sqlite has no code for a locked file',
  'src/db/engine-failure.ts': 'PostgreSQL writes why it cannot start to its log only',
  'src/identity/provider/provider-pages.ts': 'the OpenID library gives one code to all faults of a session',
  'src/kernel/is-unavailable.ts': 'pg has no codes for connections that ended',
}

describe('the text of a message', () => {
  it('is read by no module but those that have a reason', async () => {
    const found: string[] = []
    for await (const file of glob('{src,bin}/**/*.ts', { cwd: ROOT })) {
      if (file.endsWith('.test.ts')) continue
      if (READS_MESSAGE.test(await readFile(`${ROOT}/${file}`, 'utf8'))) found.push(file)
    }
    assert.deepEqual(found.toSorted(), Object.keys(ALLOWED))
  })
})
