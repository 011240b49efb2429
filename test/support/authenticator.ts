import { createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto'

type Options = {
  origin: string
  /** Whether it verifies the user by fingerprint or PIN. */
  verifiesUser?: boolean
  /** Signature counter it reports; 0 for an authenticator without one. */
  counter?: number
}

/** Software passkey: an ES256 key that responds like a browser with an authenticator. */
export function makeAuthenticator(rpId: string) {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const { x = '', y = '' } = publicKey.export({ format: 'jwk' })
  const credentialId = randomBytes(16)
  const id = credentialId.toString('base64url')
  const coseKey = map([
    [1, 2],
    [3, -7],
    [-1, 1],
    [-2, Buffer.from(x, 'base64url')],
    [-3, Buffer.from(y, 'base64url')],
  ])

  function authenticatorData(attested: boolean, { verifiesUser = true, counter = 0 }: Options) {
    const flags = 0x01 | (verifiesUser ? 0x04 : 0) | (attested ? 0x40 : 0)
    const count = Buffer.alloc(4)
    count.writeUInt32BE(counter)
    const length = Buffer.from([0, credentialId.length])
    const credential = attested ? [Buffer.alloc(16), length, credentialId, coseKey] : []
    return Buffer.concat([sha256(rpId), Buffer.from([flags]), count, ...credential])
  }
  const clientData = (type: string, challenge: string, { origin }: Options) =>
    Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin: false }))
  const credential = { id, rawId: id, type: 'public-key', clientExtensionResults: {} }

  return {
    id,
    /** Returns the response to `navigator.credentials.create`. */
    create(challenge: string, options: Options) {
      const attestation = map([
        ['fmt', 'none'],
        ['attStmt', map([])],
        ['authData', authenticatorData(true, options)],
      ])
      return {
        ...credential,
        response: {
          clientDataJSON: clientData('webauthn.create', challenge, options).toString('base64url'),
          attestationObject: attestation.toString('base64url'),
          transports: ['internal'],
        },
      }
    },
    /** Returns the response to `navigator.credentials.get`. */
    get(challenge: string, options: Options) {
      const data = authenticatorData(false, options)
      const client = clientData('webauthn.get', challenge, options)
      const signature = sign('sha256', Buffer.concat([data, sha256(client)]), privateKey)
      return {
        ...credential,
        response: {
          clientDataJSON: client.toString('base64url'),
          authenticatorData: data.toString('base64url'),
          signature: signature.toString('base64url'),
        },
      }
    },
  }
}

const sha256 = (data: string | Buffer) => createHash('sha256').update(data).digest()

/** Encodes CBOR (RFC 8949). Buffers made by `map` are inserted unchanged. */
type Cbor = number | string | Buffer
const encodedMaps = new WeakSet<Buffer>()

function map(entries: [key: Cbor, value: Cbor][]): Buffer {
  const encoded = Buffer.concat([head(5, entries.length), ...entries.flat().map(encode)])
  encodedMaps.add(encoded)
  return encoded
}

function encode(value: Cbor): Buffer {
  if (typeof value === 'number') return value < 0 ? head(1, -1 - value) : head(0, value)
  if (typeof value === 'string') return Buffer.concat([head(3, value.length), Buffer.from(value)])
  return encodedMaps.has(value) ? value : Buffer.concat([head(2, value.length), value])
}

function head(major: number, length: number) {
  const kind = major << 5
  if (length < 24) return Buffer.from([kind | length])
  return length < 256
    ? Buffer.from([kind | 24, length])
    : Buffer.from([kind | 25, length >> 8, length & 0xff])
}
