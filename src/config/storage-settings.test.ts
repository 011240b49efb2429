import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { settingFaults } from '#test/settings.ts'
import { readConfig, readConfigForServing } from './config.ts'

describe('the settings of storage', () => {
  it('accept database URLs with encoded passwords, sockets and parameters', () => {
    for (const url of [
      'postgres://user:p%40ss%23%2F@host:5432/database?sslmode=require',
      'postgresql:///database?host=/var/run/postgresql',
      'postgres://%2Fvar%2Frun%2Fpostgresql/database',
      'postgres://user:p%40ss@a:5432,b:5433,[::1]/database?sslmode=require&target_session_attrs=read-write',
      'postgres://a/database?target_session_attrs=any',
    ])
      assert.equal(readConfig({ DATABASE_URL: url }).databaseUrl, url)
  })

  it('accept a list of replicas without duplicates', async () => {
    const [one, other] = ['postgres://user:p%2Cw@one/database', 'postgres://user@two:5433/database']
    const read = (given: string) => readConfig({ DATABASE_REPLICA_URLS: given }).databaseReplicaUrls
    assert.deepEqual(read(`${one}, ${other}`), [one, other])
    assert.deepEqual(read(`${one}\n${other}\n`), [one, other])
    for (const given of ['one,two', `${one},http://two/database`, `${one},${one}`, ' , ']) {
      const [fault = ''] = settingFaults({ DATABASE_REPLICA_URLS: given })
      assert.match(fault, /^DATABASE_REPLICA_URLS must be /, given)
      assert.doesNotMatch(fault, /p%2Cw/)
    }
    await assert.rejects(readConfigForServing({ DATABASE_REPLICA_URLS: one }), {
      name: 'ConfigError',
      message:
        'DATABASE_REPLICA_URLS is set, but DATABASE_URL is not: set it to the URL of the primary.',
    })
  })

  it('accept a bucket in the path or in the host, and require its keys', () => {
    const keys = { BUCKET_ACCESS_KEY: 'key', BUCKET_SECRET_KEY: 'secret' }
    const bucketOf = (settings: Record<string, string>) =>
      readConfig({ BUCKET_URL: 'https://s3.example.org/bucket/', ...keys, ...settings }).bucket
    assert.deepEqual(bucketOf({}), {
      url: 'https://s3.example.org/bucket',
      prefix: '',
      region: 'us-east-1',
      accessKey: 'key',
      secretKey: 'secret',
      contents: ['pictures', 'backups'],
    })
    assert.equal(
      bucketOf({ BUCKET_URL: 'http://bucket.minio:9000' })?.url,
      'http://bucket.minio:9000',
    )
    assert.equal(bucketOf({ BUCKET_PREFIX: '/sites/a/' })?.prefix, 'sites/a/')
    assert.deepEqual(bucketOf({ BUCKET_CONTENTS: 'backups' })?.contents, ['backups'])
    assert.deepEqual(bucketOf({ BUCKET_CONTENTS: 'uploads, backups' })?.contents, [
      'uploads',
      'backups',
    ])
    assert.deepEqual(settingFaults({ BUCKET_URL: 'https://a.example/b' }), [
      'BUCKET_URL is set, but BUCKET_ACCESS_KEY is not.',
    ])
    assert.deepEqual(
      settingFaults({ BUCKET_URL: 'https://a.example/b', BUCKET_ACCESS_KEY: 'key' }),
      ['BUCKET_URL is set, but BUCKET_SECRET_KEY is not.'],
    )
  })
})
