import { printableWithin } from '../kernel/printable.ts'
import { StorageError, type StorageFault } from './storage-error.ts'

type Explanation = { fault: StorageFault; problem: string }

const REGION = {
  fault: 'region',
  problem: 'is in another region. Set BUCKET_REGION, and BUCKET_URL to the URL of its region',
} as const
const FULL = { fault: 'full', problem: 'is full, or its quota is exhausted. Free space' } as const
const DENIED = {
  fault: 'denied',
  problem:
    'denies the operation. Allow BUCKET_ACCESS_KEY to list the bucket, and to read, write and delete objects in it',
} as const
const MISSING = {
  fault: 'missing',
  problem: 'does not exist. Create it, or correct BUCKET_URL',
} as const

/** Error codes of S3 and of other servers with its API. */
const CODES: Record<string, Explanation> = {
  InvalidAccessKeyId: {
    fault: 'access_key',
    problem: 'does not know the access key. Correct BUCKET_ACCESS_KEY',
  },
  SignatureDoesNotMatch: {
    fault: 'secret_key',
    problem: 'rejects the secret key. Correct BUCKET_SECRET_KEY and BUCKET_ACCESS_KEY',
  },
  RequestTimeTooSkewed: {
    fault: 'clock',
    problem: 'rejects the time of the request. Correct the clock of this machine',
  },
  AuthorizationHeaderMalformed: REGION,
  PermanentRedirect: REGION,
  TemporaryRedirect: REGION,
  IllegalLocationConstraintException: REGION,
  PreconditionFailed: {
    fault: 'unusable',
    problem: 'has replaced the object while it was read. Try again',
  },
  NoSuchBucket: MISSING,
  AccessDenied: DENIED,
  AllAccessDisabled: DENIED,
  QuotaExceeded: FULL,
  OverQuota: FULL,
  XMinioStorageFull: FULL,
  XMinioAdminBucketQuotaExceeded: FULL,
  StorageFull: FULL,
  InsufficientStorage: FULL,
}

/** Explanations by status, for responses without a known code. */
const STATUSES: Record<number, Explanation> = {
  301: REGION,
  307: REGION,
  401: DENIED,
  403: DENIED,
  404: MISSING,
  413: FULL,
  507: FULL,
}

/** Codes of errors that a retry may resolve. */
const TRANSIENT = new Set([
  'SlowDown',
  'InternalError',
  'ServiceUnavailable',
  'RequestTimeout',
  'BadDigest',
])

/**
 * Explains an error response.
 *
 * @param address URL of the bucket
 * @param code error code in the response, if any
 */
export function toBucketError(
  address: string,
  status: number,
  code: string | undefined,
): StorageError {
  const known = (code !== undefined ? CODES[code] : undefined) ?? STATUSES[status]
  const response =
    code === undefined ? `status ${status}` : `status ${status}, ${printableWithin(60, code)}`
  if (known) return new StorageError(`The bucket ${address} ${known.problem} (${response}).`, known)
  return new StorageError(`The bucket ${address} returned an unexpected response (${response}).`, {
    isTransient:
      (status >= 500 && status !== 501) ||
      status === 429 ||
      status === 408 ||
      TRANSIENT.has(code ?? ''),
  })
}
