import { createHash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import { JobQueue } from '../../kernel/async/job-queue.ts'
import { isPicture } from '../../uploads/load-sharp.ts'
import { PictureEncoder, type PictureVariant } from './encode-picture.ts'
import { fetchPicture, type FetchOptions } from './fetch-picture.ts'
import { PictureError, PicturesBusyError } from './picture-errors.ts'
import { PictureStore, type KeptPicture, type PictureStoreOptions } from './picture-store.ts'

export type PicturesOptions = PictureStoreOptions & {
  fetch: FetchOptions
  /** How long a request waits for its picture; the picture is made all the same. */
  patienceMs?: number
  /** Called for a failure that a source or the disk is at fault for. */
  onFailure?: (error: unknown, url: string) => void
}

/** PictureService that are fetched and made at once, and that wait for it. Each takes at most the bytes of a source's picture. */
const AT_ONCE = 4
const MAX_WAITING = 64
/** A picture is decoded as a whole: one at a time. */
const ENCODED_AT_ONCE = 1

/** How long a failure is remembered, in milliseconds. */
const PASSING_MS = 60_000
const LASTING_MS = 3_600_000
const MAX_FAILURES = 10_000
/** Passing failures in a row after which a host is left alone for a while: its pictures would keep all places taken. */
const MAX_FAILURES_OF_HOST = 8

const tooMany = () => new PicturesBusyError('Too many pictures are waited for')

/** The pictures of the sources in our widths and formats: from disk, or fetched once for all who wait for one. */
export class PictureService {
  readonly #store: PictureStore
  readonly #encoder = new PictureEncoder()
  readonly #jobs = new JobQueue(AT_ONCE, MAX_WAITING, tooMany)
  readonly #encodings = new JobQueue(ENCODED_AT_ONCE, AT_ONCE, tooMany)
  readonly #making = new Map<string, Promise<Buffer>>()
  readonly #fetching = new Map<string, Promise<Buffer>>()
  readonly #failures = new LRUCache<string, PictureError>({ max: MAX_FAILURES })
  readonly #failuresOfHosts = new LRUCache<string, number>({ max: 100, ttl: PASSING_MS })
  readonly #options: PicturesOptions

  constructor(options: PicturesOptions) {
    this.#options = options
    this.#store = new PictureStore(options)
  }

  /**
   * A variant of the picture at a source's address.
   *
   * @throws {PictureError} when the source has none that can be shown
   * @throws {PicturesBusyError} when it has not come soon enough, or too many others are waited for
   */
  async find(url: string, variant: PictureVariant): Promise<KeptPicture | Buffer> {
    const { width, format, blurred } = variant
    const name = `${fileName(url)}.${width}${blurred ? 'b' : ''}.${format}`
    const kept = await this.#store.open(name)
    if (kept) return kept
    const making =
      this.#making.get(name) ?? remember(this.#making, name, () => this.#make(url, name, variant))
    return this.#inTime(making)
  }

  /**
   * Returns the original picture at a source's address.
   *
   * @throws as `find`
   */
  async findWhole(url: string): Promise<KeptPicture | Buffer> {
    const kept = await this.#store.open(sourceName(url))
    if (kept) return kept
    return this.#inTime(this.#run(url, () => this.#readSource(url)))
  }

  #make(url: string, name: string, variant: PictureVariant): Promise<Buffer> {
    return this.#run(url, async () => {
      const source = (await this.#store.read(sourceName(url))) ?? (await this.#readSource(url))
      const made = await this.#encodings
        .run(() => this.#encoder.encode(source, variant))
        .catch(async (error: unknown) => {
          await this.#store.remove(sourceName(url))
          throw error
        })
      await this.#store.write(name, made)
      return made
    })
  }

  /** Queues a job for a picture and remembers its failure. */
  async #run(url: string, job: () => Promise<Buffer>): Promise<Buffer> {
    this.#refuseFailed(url)
    return this.#jobs.run(async () => {
      try {
        return await job()
      } catch (error) {
        this.#noteFailure(url, error)
        throw error
      }
    })
  }

  #readSource = (url: string): Promise<Buffer> =>
    this.#fetching.get(url) ?? remember(this.#fetching, url, () => this.#fetch(url))

  async #fetch(url: string): Promise<Buffer> {
    this.#refuseFailed(url)
    const source = await fetchPicture(url, this.#options.fetch)
    this.#failuresOfHosts.delete(hostOf(url))
    if (!isPicture(source)) throw new PictureError('The source sends no picture')
    await this.#store.write(sourceName(url), source)
    return source
  }

  #refuseFailed(url: string) {
    const failure = this.#failures.get(url)
    if (failure) throw failure
    if ((this.#failuresOfHosts.get(hostOf(url)) ?? 0) >= MAX_FAILURES_OF_HOST)
      throw new PictureError(`${hostOf(url)} is left alone for a while`, { isTransient: true })
  }

  #noteFailure(url: string, error: unknown) {
    if (!(error instanceof PictureError)) return this.#options.onFailure?.(error, url)
    if (this.#failures.has(url)) return
    this.#options.onFailure?.(error, url)
    this.#failures.set(url, error, { ttl: error.isTransient ? PASSING_MS : LASTING_MS })
    const host = hostOf(url)
    if (error.isTransient)
      this.#failuresOfHosts.set(host, (this.#failuresOfHosts.get(host) ?? 0) + 1)
  }

  #inTime(making: Promise<Buffer>): Promise<Buffer> {
    const { promise, resolve, reject } = Promise.withResolvers<Buffer>()
    const timer = setTimeout(
      () => reject(new PicturesBusyError('The picture is not there yet')),
      this.#options.patienceMs ?? 20_000,
    )
    making.then(resolve, reject).finally(() => clearTimeout(timer))
    return promise
  }
}

/** One for all who ask while it is under way. */
function remember(under: Map<string, Promise<Buffer>>, key: string, start: () => Promise<Buffer>) {
  const started = start().finally(() => under.delete(key))
  under.set(key, started)
  return started
}

const fileName = (url: string) => createHash('sha256').update(url).digest('hex').slice(0, 40)

const sourceName = (url: string) => `${fileName(url)}.source`

const hostOf = (url: string) => URL.parse(url)?.host ?? ''
