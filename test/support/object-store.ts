import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { BucketSettings } from '../../src/config/config.ts'
import { BucketClient } from '../../src/storage/bucket-client.ts'
import { ignoreBody } from '../../src/storage/bucket.ts'
import { missingFile } from './required-programs.ts'
import { removeFolder, scratchFolder } from './scratch-folder.ts'

export const OBJECT_STORE_MISSING = missingFile(
  '/usr/lib/python3/dist-packages/swift/common/middleware/s3api',
  'swift-proxy swift-account swift-container swift-object',
)

const ACCESS_KEY = 'test:user'
const SECRET_KEY = 'the-secret-of-the-bucket'

export type TestObjectStore = {
  /** Creates an empty bucket. */
  createBucket(settings?: Partial<BucketSettings>): Promise<BucketSettings>
  /** Suspends the server: it accepts connections but does not respond. */
  pause(): void
  resume(): void
  stop(): Promise<void>
}

/** Returns the settings of a bucket as environment variables. */
export const bucketEnvironment = (settings: BucketSettings): Record<string, string> => ({
  BUCKET_URL: settings.url,
  BUCKET_PREFIX: settings.prefix,
  BUCKET_REGION: settings.region,
  BUCKET_ACCESS_KEY: settings.accessKey,
  BUCKET_SECRET_KEY: settings.secretKey,
  BUCKET_CONTENTS: settings.contents.join(','),
})

/** Starts OpenStack Swift with its S3 API. */
export async function startObjectStore(): Promise<TestObjectStore> {
  const folder = scratchFolder('objects')
  const server = spawn(
    '/usr/bin/python3',
    [fileURLToPath(import.meta.resolve('./object-store.py')), folder, ACCESS_KEY, SECRET_KEY],
    { stdio: ['pipe', 'pipe', 'pipe'] },
  )
  process.once('exit', () => server.kill('SIGKILL'))
  let errors = ''
  server.stderr.setEncoding('utf8').on('data', (text: string) => (errors += text))
  server.stdin.on('error', () => {})
  const exited = once(server, 'exit')
  const port = await Promise.race([
    once(server.stdout.setEncoding('utf8'), 'data').then(([text]) => String(text).trim()),
    exited.then(() => Promise.reject(new Error(`Swift ended: ${errors}`))),
  ])
  let buckets = 0
  return {
    async createBucket(settings = {}) {
      const bucket: BucketSettings = {
        url: `http://127.0.0.1:${port}/bucket-${(buckets += 1)}`,
        prefix: '',
        region: 'us-east-1',
        accessKey: ACCESS_KEY,
        secretKey: SECRET_KEY,
        contents: ['pictures', 'backups'],
        ...settings,
      }
      await new BucketClient(bucket).send({ method: 'PUT' }, ignoreBody)
      return bucket
    },
    pause: () => void server.kill('SIGSTOP'),
    resume: () => void server.kill('SIGCONT'),
    async stop() {
      server.kill('SIGKILL')
      await exited
      removeFolder(folder)
    },
  }
}
