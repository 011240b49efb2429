import assert from 'node:assert/strict'
import { existsSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { zstdCompressSync, zstdDecompressSync } from 'node:zlib'
import { packTar, unpackTar, type ParsedTarEntryWithData } from 'modern-tar'
import { createDatabase } from '#test/databases.ts'
import { temporaryFolder } from '#test/program.ts'
import { runCommand } from '#test/run-command.ts'
import { CHECKSUMS, MANIFEST, MAX_PART_BYTES, sha256 } from './format.ts'

type Member = { name: string; data: Buffer }

/** Size of a tar block. A header takes one. */
const BLOCK = 512

const folder = temporaryFolder()
const good = join(folder.path, 'good.tar')
let members: Member[]

const memberOf = ({ header, data }: ParsedTarEntryWithData): Member => ({
  name: header.name,
  data: Buffer.from(data ?? []),
})

const pack = (list: Member[]) =>
  packTar(list.map(({ name, data }) => ({ header: { name, size: data.length }, body: data })))

const placeOf = (name: string | RegExp) =>
  members.findIndex((member) =>
    typeof name === 'string' ? member.name === name : name.test(member.name),
  )

/** Returns the members, one of them changed. */
const withChanged = (name: string | RegExp, change: (data: Buffer) => Buffer) =>
  members.with(placeOf(name), {
    name: members[placeOf(name)]?.name ?? '',
    data: change(Buffer.from(members[placeOf(name)]?.data ?? [])),
  })

const flipped = (data: Buffer) => {
  const place = Math.floor(data.length / 2)
  data[place] = (data[place] ?? 0) ^ 1
  return data
}

type Change = (content: Record<string, unknown>) => void

/** Returns the members with another manifest and other checksums, which are correct. */
function withManifest(change: Change, changeSums: Change = () => {}) {
  const manifest = JSON.parse(String(members[0]?.data)) as Record<string, unknown>
  change(manifest)
  const text = JSON.stringify(manifest)
  return [
    { name: MANIFEST, data: Buffer.from(text) },
    ...withChanged(CHECKSUMS, (data) => {
      const sums = JSON.parse(data.toString('utf8', 65)) as Record<string, unknown>
      changeSums(sums)
      const own = JSON.stringify({ ...sums, manifest: sha256(text) })
      return Buffer.from(`${sha256(own)} ${own}`)
    }).slice(1),
  ]
}

/** A part of a table with rows. */
const PART = /^tables\/works\/1/

/** Bad files, each with the reason that the error message states after the path. */
const FILES: Record<string, { make: () => Promise<Uint8Array> | Uint8Array; says: RegExp }> = {
  'an empty file': { make: () => Buffer.alloc(0), says: /^ is empty\.$/ },
  'a text file': {
    make: () => Buffer.from('Dear diary'),
    says: /^ is not a backup of mokuroku\.$/,
  },
  'a large file of zeros': {
    make: () => Buffer.alloc(20_000),
    says: /^ is not a backup of mokuroku\.$/,
  },
  'a tar of another program': {
    make: () => pack([{ name: 'etc/passwd', data: Buffer.from('root') }]),
    says: /^ is not a backup of mokuroku\.$/,
  },
  'a manifest of another program': {
    make: () => pack([{ name: MANIFEST, data: Buffer.from('{"format":1}') }]),
    says: /^ is not a backup of mokuroku\.$/,
  },
  'a newer format': {
    make: () =>
      pack(withManifest((manifest) => Object.assign(manifest, { format: 2, version: '7.0.0' }))),
    says: /^ was made by a newer version of mokuroku \(7\.0\.0\) in format 2; this version reads format 1\. Update mokuroku\.$/,
  },
  'a newer schema': {
    make: () =>
      pack(
        withManifest((manifest) => {
          const migrations = manifest['migrations'] as object[]
          migrations.push({ name: '9999_later', hash: 'a'.repeat(64) })
        }),
      ),
    says: /^ was made by a newer version of mokuroku \(.*\): this version does not know its migration 9999_later\. Update mokuroku\.$/,
  },
  'another schema': {
    make: () =>
      pack(
        withManifest((manifest) => {
          const [first] = manifest['migrations'] as { hash: string }[]
          if (first) first.hash = 'a'.repeat(64)
        }),
      ),
    says: /whose migration 0001_kernel this version has replaced\. Restore it with that version\.$/,
  },
  'no manifest': { make: () => pack(members.slice(1)), says: /^ is not a backup of mokuroku\.$/ },
  'a part that is missing': {
    make: () => pack(members.toSpliced(placeOf(PART), 1)),
    says: /^ is incomplete: tables\/works\/1\.copy\.zst is missing\.$/,
  },
  'a duplicate part': {
    make: () => {
      const part = members[placeOf(PART)]
      return pack(part ? members.toSpliced(placeOf(PART), 0, part) : [])
    },
    says: /^ is not a valid backup: it contains tables\/works\/1\.copy\.zst in the wrong place\.$/,
  },
  'a duplicate manifest': {
    make: () => pack([...members.slice(0, 1), ...members]),
    says: /^ is not a valid backup: it contains manifest\.json in the wrong place\.$/,
  },
  'a member after the last one': {
    make: () => pack([...members, { name: 'extra', data: Buffer.from('x') }]),
    says: /^ is not a valid backup: it contains extra in the wrong place\.$/,
  },
  'a name that leads out of the folder': {
    make: () =>
      pack(members.toSpliced(1, 0, { name: '../../etc/cron.d/x', data: Buffer.from('x') })),
    says: /^ is not a valid backup: it contains \.\.\/\.\.\/etc\/cron\.d\/x in the wrong place\.$/,
  },
  'a table name with SQL': {
    make: () =>
      pack(
        withManifest((manifest) => {
          const [table] = manifest['tables'] as { name: string }[]
          if (table) table.name = 'works"; drop table works; --'
        }),
      ),
    says: /^ is damaged: manifest\.json is not as it was written\.$/,
  },
  'a table with the name of an inherited property': {
    make: () =>
      pack(
        withManifest((manifest) => {
          const tables = manifest['tables'] as object[]
          tables.push({ name: 'constructor', columns: ['a'] })
        }),
      ),
    says: /^ is damaged: checksums\.json is not as it was written\.$/,
  },
  'a part that expands without end': {
    make: () => pack(withChanged(PART, () => zstdCompressSync(Buffer.alloc(2 * MAX_PART_BYTES)))),
    says: /^ is damaged: tables\/works\/1\.copy\.zst is not as it was written\.$/,
  },
  'a part with another row': {
    make: () =>
      pack(
        withChanged(PART, (data) =>
          zstdCompressSync(flipped(Buffer.from(zstdDecompressSync(data)))),
        ),
      ),
    says: /^ is damaged: tables\/works\/1\.copy\.zst is not as it was written\.$/,
  },
  'a flipped bit in the manifest': {
    make: () => pack(withChanged(MANIFEST, flipped)),
    says: /^ is damaged: manifest\.json is not as it was written\.$|not a backup/,
  },
  'a flipped bit in a part': {
    make: () => pack(withChanged(PART, flipped)),
    says: /^ is damaged: tables\/works\/1\.copy\.zst is not as it was written\.$/,
  },
  'a flipped bit in the checksums': {
    make: () => pack(withChanged(CHECKSUMS, flipped)),
    says: /^ is damaged: checksums\.json is not as it was written\.$/,
  },
  'a flipped bit in a header': {
    make: () => {
      const file = readFileSync(good)
      const header = BLOCK * (1 + Math.ceil((members[0]?.data.length ?? 0) / BLOCK))
      return Buffer.concat([
        file.subarray(0, header),
        flipped(Buffer.from(file.subarray(header, header + BLOCK))),
        file.subarray(header + BLOCK),
      ])
    },
    says: /^ is damaged: what follows manifest\.json cannot be read\.$/,
  },
}

describe('a bad backup', () => {
  before(async () => {
    const { dataDir, remove } = await createDatabase('embedded', 'sample')
    try {
      const made = await runCommand(['backup', good], { environment: { DATA_DIR: dataDir } })
      assert.equal(made.status, 0, made.errors)
    } finally {
      await remove()
    }
    members = (await unpackTar(readFileSync(good))).map(memberOf)
  })
  after(() => folder.remove())

  /** Asserts that verifying and restoring fail with a one-line error, before the data directory is created. */
  async function assertRejected(content: Uint8Array, says: RegExp) {
    const file = join(folder.path, 'bad.tar')
    writeFileSync(file, content)
    const dataDir = join(folder.path, 'target')
    const environment = { DATA_DIR: dataDir }
    const { status, output, errors } = await runCommand(['restore', file, '--force'], {
      environment,
    })
    assert.deepEqual({ status, output }, { status: 1, output: '' }, errors)
    assert.ok(errors.startsWith(file), errors)
    assert.match(errors.slice(file.length).trimEnd(), says)
    assert.equal(errors.trimEnd().includes('\n'), false)
    assert.equal(existsSync(dataDir), false)
  }

  for (const [what, { make, says }] of Object.entries(FILES))
    it(`is rejected before anything is changed: ${what}`, async () =>
      assertRejected(await make(), says))

  it('is rejected if it is truncated anywhere', async () => {
    const file = readFileSync(good)
    const manifestEnd = BLOCK * (1 + Math.ceil((members[0]?.data.length ?? 0) / BLOCK))
    const says = /^ is truncated: it ends after |^ is damaged|^ is not a backup/
    for (const end of [
      1,
      BLOCK,
      BLOCK + 10,
      manifestEnd,
      manifestEnd + 100,
      manifestEnd + BLOCK,
      manifestEnd + BLOCK + 10,
      Math.floor(file.length / 2),
      file.length - 3 * BLOCK,
    ])
      await assertRejected(file.subarray(0, end), says)
  })

  it('is not loaded if its tables or sequences do not match its schema', async () => {
    const unchanged = () => {}
    type Tables = { name: string; columns: string[] }[]
    const contents: [what: RegExp, change: Change, changeSums?: Change][] = [
      [
        /^The tables of .*: accounts_evil \(id\)\. Nothing was changed\.$/,
        (manifest) =>
          (manifest['tables'] as Tables).push({ name: 'accounts_evil', columns: ['id'] }),
        (sums) => {
          const sum = { rows: 0, sum: '0', sha256: sha256(''), parts: [] }
          Object.assign(sums['tables'] as object, { accounts_evil: sum })
        },
      ],
      [
        /^The tables of the backup are not those of .*: works \(/,
        (manifest) => (manifest['tables'] as Tables).at(-1)?.columns.pop(),
      ],
      [
        /^The sequences of the backup are not those of .*: accounts_id_seq/,
        unchanged,
        (sums) => Object.assign(sums, { sequences: {} }),
      ],
    ]
    for (const [says, change, changeSums] of contents) {
      const dataDir = join(folder.path, 'loaded')
      const file = join(folder.path, 'bad.tar')
      writeFileSync(file, await pack(withManifest(change, changeSums)))
      const { status, errors } = await runCommand(['restore', file], {
        environment: { DATA_DIR: dataDir },
      })
      assert.equal(status, 1)
      assert.match(errors.trimEnd(), says)
      assert.equal(existsSync(join(dataDir, 'postgres')), false)
      rmSync(dataDir, { recursive: true })
    }
  })

  it('is reported by verify with the same message', async () => {
    const file = join(folder.path, 'bad.tar')
    writeFileSync(file, readFileSync(good).subarray(0, 5_000))
    const { status, errors } = await runCommand(['backup', 'verify', file], { environment: {} })
    assert.equal(status, 1)
    assert.match(errors, /is truncated/)
    assert.deepEqual(readdirSync(folder.path).toSorted(), ['bad.tar', 'good.tar'])
  })
})
