import { createHash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import { JobQueue } from '../../kernel/async/job-queue.ts'
import type { SharedCache } from '../../storage/shared-cache.ts'
import { PictureEncoder, type PictureVariant } from './picture-encoder.ts'
import { fetchPicture, type FetchOptions } from './fetch-picture.ts'
import { PictureError, PicturesBusyError } from './picture-errors.ts'
import { PictureStore, type StoredPicture, type PictureStoreOptions } from './picture-store.ts'

/** Event in the life of a picture. A fetched picture is then encoded. */
export type PictureOutcome = 'stored' | 'shared' | 'fetched' | 'encoded' | 'failed'

export type PicturesOptions = PictureStoreOptions & {
  fetch: FetchOptions
  /** Cache of fetched and encoded pictures that all machines share. */
  shared?: SharedCache | undefined
  /**
   * Time, in milliseconds, that a request waits for its picture. The job continues after a timeout.
   */
  waitMs?: number
  /** Called for failures of a source or the disk. */
  onFailure?: (error: unknown, url: string) => void
  onOutcome?: ((outcome: PictureOutcome) => void) | undefined
}

/**
 * Maximum number of pictures that are fetched or encoded concurrently, and maximum length of the queue. Each job holds
 * at most the source's bytes in memory.
 */
const MAX_CONCURRENT_JOBS = 4
const MAX_QUEUED_JOBS = 64
/** Decoding needs the whole picture in memory, so only one runs at a time. */
const MAX_CONCURRENT_ENCODINGS = 1

/** Time, in milliseconds, for which a failure is cached. */
const TRANSIENT_FAILURE_MS = 60_000
const PERMANENT_FAILURE_MS = 3_600_000
const MAX_CACHED_FAILURES = 10_000
/**
 * Consecutive transient failures after which a host is skipped for a while. Otherwise its pictures
 * would occupy all jobs.
 */
const MAX_HOST_FAILURES = 8

const tooMany = () => new PicturesBusyError('Too many pictures are queued')

/**
 * Provides the sources' pictures in the supported widths and formats, from disk, from the bucket, or fetched once for
 * all concurrent requests.
 */
export class PictureService {
  readonly #store: PictureStore
  readonly #encoder = new PictureEncoder()
  readonly #jobs = new JobQueue(MAX_CONCURRENT_JOBS, MAX_QUEUED_JOBS, tooMany)
  readonly #encodings = new JobQueue(MAX_CONCURRENT_ENCODINGS, MAX_CONCURRENT_JOBS, tooMany)
  readonly #inFlight = new Map<string, Promise<Buffer>>()
  readonly #fetching = new Map<string, Promise<Buffer>>()
  readonly #failures = new LRUCache<string, PictureError>({ max: MAX_CACHED_FAILURES })
  readonly #failuresOfHosts = new LRUCache<string, number>({ max: 100, ttl: TRANSIENT_FAILURE_MS })
  readonly #options: PicturesOptions

  constructor(options: PicturesOptions) {
    this.#options = options
    this.#store = new PictureStore(options)
  }

  /**
   * Returns a variant of the picture at a source's URL.
   *
   * @throws {PictureError} if the source has no usable picture
   * @throws {PicturesBusyError} after a timeout, or if the queue is full
   */
  async find(url: string, variant: PictureVariant): Promise<StoredPicture | Buffer> {
    const { width, format, blurred } = variant
    const name = `${fileName(url)}.${width}${blurred ? 'b' : ''}.${format}`
    const stored = await this.#store.open(name)
    if (stored) return this.#found(stored)
    const encoding =
      this.#inFlight.get(name) ??
      shareInFlight(this.#inFlight, name, () => this.#make(url, name, variant))
    return this.#withTimeout(encoding)
  }

  /**
   * Returns the original picture at a source's URL.
   *
   * @throws the same errors as `find`
   */
  async findOriginal(url: string): Promise<StoredPicture | Buffer> {
    const stored = await this.#store.open(sourceName(url))
    if (stored) return this.#found(stored)
    return this.#withTimeout(this.#run(url, () => this.#fetchOnce(url)))
  }

  #found(stored: StoredPicture) {
    this.#options.onOutcome?.('stored')
    return stored
  }

  #make(url: string, name: string, variant: PictureVariant): Promise<Buffer> {
    return this.#run(url, async () => {
      const shared = await this.#findShared(name)
      if (shared) return shared
      const source = (await this.#store.read(sourceName(url))) ?? (await this.#fetchOnce(url))
      const encoded = await this.#encodings
        .run(() => this.#encoder.encode(source, variant))
        .catch(async (error: unknown) => {
          await this.#store.remove(sourceName(url))
          await this.#options.shared?.remove(sourceName(url))
          throw error
        })
      await this.#save(name, encoded)
      this.#options.onOutcome?.('encoded')
      return encoded
    })
  }

  /** Queues a job for a picture and caches its failure. */
  async #run(url: string, job: () => Promise<Buffer>): Promise<Buffer> {
    this.#rejectKnownFailure(url)
    return this.#jobs.run(async () => {
      try {
        return await job()
      } catch (error) {
        this.#options.onOutcome?.('failed')
        this.#cacheFailure(url, error)
        throw error
      }
    })
  }

  #fetchOnce = (url: string): Promise<Buffer> =>
    this.#fetching.get(url) ?? shareInFlight(this.#fetching, url, () => this.#fetch(url))

  async #fetch(url: string): Promise<Buffer> {
    const shared = await this.#findShared(sourceName(url))
    if (shared) return shared
    this.#rejectKnownFailure(url)
    const source = await fetchPicture(url, this.#options.fetch)
    this.#failuresOfHosts.delete(hostOf(url))
    await this.#save(sourceName(url), source)
    this.#options.onOutcome?.('fetched')
    return source
  }

  /** Reads a picture from the shared cache, and stores it on disk. */
  async #findShared(name: string): Promise<Buffer | undefined> {
    const bytes = await this.#options.shared?.read(name)
    if (!bytes) return undefined
    await this.#store.write(name, bytes)
    this.#options.onOutcome?.('shared')
    return bytes
  }

  async #save(name: string, bytes: Buffer) {
    await this.#store.write(name, bytes)
    await this.#options.shared?.write(name, bytes)
  }

  #rejectKnownFailure(url: string) {
    const failure = this.#failures.get(url)
    if (failure) throw failure
    if ((this.#failuresOfHosts.get(hostOf(url)) ?? 0) >= MAX_HOST_FAILURES)
      throw new PictureError(`${hostOf(url)} is skipped after repeated failures`, {
        isTransient: true,
      })
  }

  #cacheFailure(url: string, error: unknown) {
    if (!(error instanceof PictureError)) return this.#options.onFailure?.(error, url)
    if (this.#failures.has(url)) return
    this.#options.onFailure?.(error, url)
    this.#failures.set(url, error, {
      ttl: error.isTransient ? TRANSIENT_FAILURE_MS : PERMANENT_FAILURE_MS,
    })
    const host = hostOf(url)
    if (error.isTransient)
      this.#failuresOfHosts.set(host, (this.#failuresOfHosts.get(host) ?? 0) + 1)
  }

  #withTimeout(encoding: Promise<Buffer>): Promise<Buffer> {
    const { promise, resolve, reject } = Promise.withResolvers<Buffer>()
    const timer = setTimeout(
      () => reject(new PicturesBusyError('The picture is not ready yet')),
      this.#options.waitMs ?? 20_000,
    )
    encoding.then(resolve, reject).finally(() => clearTimeout(timer))
    return promise
  }
}

/** Shares one job among all concurrent callers with the same key. */
function shareInFlight(
  under: Map<string, Promise<Buffer>>,
  key: string,
  start: () => Promise<Buffer>,
) {
  const started = start().finally(() => under.delete(key))
  under.set(key, started)
  return started
}

const fileName = (url: string) => createHash('sha256').update(url).digest('hex').slice(0, 40)

const sourceName = (url: string) => `${fileName(url)}.source`

const hostOf = (url: string) => URL.parse(url)?.host ?? ''
