import { hash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { AwsV4Signer } from 'aws4fetch'
import type { BucketSettings } from '../config/config.ts'
import { errorCode } from '../kernel/error-code.ts'
import { causesOf } from '../outbound/causes-of.ts'
import { fetchOutbound } from '../outbound/fetch-outbound.ts'
import { ProxyError } from '../outbound/proxy-error.ts'
import { toBucketError } from './bucket-error.ts'
import { childText, parseResponse } from './response-xml.ts'
import { StorageError } from './storage-error.ts'

/** Limits of the requests to a bucket. */
export type BucketLimits = {
  /** Attempts per request. */
  maxAttempts: number
  /** Time, in milliseconds, before the first retry. It doubles with each retry, with up to 50 % jitter. */
  retryMs: number
  /** Base timeout of one attempt, in milliseconds. The time to transfer its bytes is added. */
  timeoutMs: number
}

const LIMITS: BucketLimits = { maxAttempts: 5, retryMs: 500, timeoutMs: 30_000 }

/** Minimum transfer rate, in bytes per millisecond, for which timeouts allow. */
const MIN_BYTES_PER_MS = 50

/** Maximum bytes of a response other than an object. A page of a listing has about 500 bytes per object. */
const MAX_RESPONSE_BYTES = 4 * 2 ** 20

export type BucketOptions = {
  limits?: Partial<BucketLimits>
  /** Called once per request, after its last attempt. */
  onRequest?: ((outcome: 'ok' | 'failed') => void) | undefined
}

export type BucketRequest = {
  method: 'GET' | 'PUT' | 'POST' | 'DELETE'
  /** Name of the object within the prefix; without one, the request is for the bucket. */
  name?: string
  query?: Record<string, string>
  headers?: Record<string, string>
  body?: Buffer<ArrayBuffer>
  /** Expected size of the response in bytes, which extends the timeout. */
  expectedBytes?: number
  /** Aborts the request and its retries. */
  signal?: AbortSignal | undefined
}

/** Sends signed requests to a bucket, and retries those that fail temporarily. */
export class BucketClient {
  readonly address: string
  readonly prefix: string
  readonly #settings: BucketSettings
  readonly #limits: BucketLimits
  readonly #onRequest: BucketOptions['onRequest']
  /** Signing keys derived from the secret key, one per day. */
  #signingKeys = new Map<string, ArrayBuffer>()

  constructor(settings: BucketSettings, { limits, onRequest }: BucketOptions = {}) {
    this.address = settings.url
    this.prefix = settings.prefix
    this.#settings = settings
    this.#limits = { ...LIMITS, ...limits }
    this.#onRequest = onRequest
  }

  /**
   * Sends a request, with retries.
   *
   * @param use reads the response. It runs once per attempt, so it may run again, for example after a response that was
   * cut off
   * @throws {StorageError} for an error response, and if the last attempt fails
   */
  async send<Result>(
    request: BucketRequest,
    use: (response: Response) => Promise<Result>,
  ): Promise<Result> {
    const { maxAttempts, retryMs } = this.#limits
    for (let attempt = 1; ; attempt += 1)
      try {
        const result = await this.#attempt(request, use)
        this.#onRequest?.('ok')
        return result
      } catch (error) {
        const { signal } = request
        const isTransient = error instanceof StorageError && error.isTransient
        if (isTransient && attempt < maxAttempts && !signal?.aborted) {
          // If it is aborted, the next attempt fails at once.
          await this.#pause(retryMs * 2 ** (attempt - 1), signal).catch(() => {})
          continue
        }
        this.#onRequest?.(error instanceof MissingObjectError ? 'ok' : 'failed')
        signal?.throwIfAborted()
        throw error
      }
  }

  /**
   * Sends a request whose response is XML.
   *
   * @param name required name of the root element
   * @returns the root element
   */
  async sendForXml(request: BucketRequest, name: string) {
    return this.send(request, async (response) => {
      const element = parseResponse((await readResponse(response, MAX_RESPONSE_BYTES)).toString())
      // Long operations may report an error with status 200, because they send the status before they finish.
      if (element?.name === 'Error')
        throw toBucketError(this.address, 500, childText(element, 'Code'))
      if (element?.name !== name) throw this.unexpected(`no ${name}`)
      return element
    })
  }

  unexpected(what: string) {
    return new StorageError(
      `The bucket ${this.address} returned an unexpected response (${what}). Check that BUCKET_URL is the URL of a bucket with the S3 API.`,
    )
  }

  async #attempt<Result>(
    request: BucketRequest,
    use: (response: Response) => Promise<Result>,
  ): Promise<Result> {
    const { body, expectedBytes = 0, signal } = request
    const bytes = (body?.length ?? 0) + expectedBytes
    const timeout = AbortSignal.timeout(
      this.#limits.timeoutMs + Math.ceil(bytes / MIN_BYTES_PER_MS),
    )
    let response: Response | undefined
    try {
      const { url, headers } = await this.#sign(request)
      // Not signed. `fetch` itself adds this header to requests with a range.
      if (!headers.has('range')) headers.set('accept-encoding', 'identity')
      response = await fetchOutbound(url, {
        method: request.method,
        headers,
        redirect: 'manual',
        signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
        ...(body && { body }),
      })
      if (response.status >= 300) throw await this.#toError(response)
      return await use(response)
    } catch (error) {
      if (error instanceof StorageError || error instanceof MissingObjectError) throw error
      throw this.#unreachable(error, timeout.aborted)
    } finally {
      // Cancelling a body that was read completely fails.
      await response?.body?.cancel().catch(() => {})
    }
  }

  #sign({ method, name, query = {}, headers = {}, body }: BucketRequest) {
    const { url: base, prefix, region, accessKey, secretKey } = this.#settings
    const url = new URL(name === undefined ? base : `${base}/${prefix}${name}`)
    for (const [key, value] of Object.entries(query)) url.searchParams.set(key, value)
    if (this.#signingKeys.size > 2) this.#signingKeys = new Map()
    return new AwsV4Signer({
      method,
      url: url.href,
      // The signature covers the body, so the server rejects one that was damaged on the way.
      headers: { ...headers, 'x-amz-content-sha256': hash('sha256', body ?? '', 'hex') },
      accessKeyId: accessKey,
      secretAccessKey: secretKey,
      service: 's3',
      region,
      cache: this.#signingKeys,
    }).sign()
  }

  async #toError(response: Response) {
    const text = await readResponse(response, MAX_RESPONSE_BYTES).catch(() => Buffer.alloc(0))
    const code = childText(parseResponse(text.toString()), 'Code')
    return code === 'NoSuchKey' || code === 'NoSuchUpload' || code === 'InvalidRange'
      ? new MissingObjectError(code)
      : toBucketError(this.address, response.status, code)
  }

  #unreachable(error: unknown, isTimeout: boolean) {
    if (error instanceof ProxyError)
      return new StorageError(`The bucket ${this.address} cannot be reached: ${error.message}.`, {
        fault: 'unreachable',
        isTransient: error.isTransient,
        cause: error,
      })
    const cause = causesOf(error).at(-1)
    const reason = isTimeout
      ? 'no response in time'
      : (errorCode(cause) ?? cause?.message ?? 'unknown')
    return new StorageError(`The bucket ${this.address} cannot be reached: ${reason}.`, {
      fault: 'unreachable',
      isTransient: true,
      cause: isTimeout ? new DOMException('Timeout', 'TimeoutError') : error,
    })
  }

  #pause(milliseconds: number, signal: AbortSignal | undefined) {
    return sleep(milliseconds * (0.5 + Math.random() / 2), undefined, signal && { signal })
  }
}

/** Error if the object or upload does not exist, or if the range is beyond its end. */
export class MissingObjectError extends Error {
  override name = 'MissingObjectError'
}

/** @throws {Error} if the body is larger, or was cut off */
export async function readResponse(
  response: Response,
  maxBytes: number,
): Promise<Buffer<ArrayBuffer>> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length
    if (bytes > maxBytes)
      throw new StorageError(`A response of the bucket is larger than ${maxBytes} bytes.`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}
