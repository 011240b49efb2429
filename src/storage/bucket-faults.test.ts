import assert from 'node:assert/strict'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { describe, it } from 'node:test'
import { listenLocally } from '#test/free-port.ts'
import type { BucketSettings } from '../config/config.ts'
import { Bucket } from './bucket.ts'
import { uploadParts } from './upload-parts.ts'

type Handler = (request: IncomingMessage, response: ServerResponse, count: number) => void

const SECRET = 'the-secret-key-of-this-test'

/** Runs a server with scripted responses. `handle` receives the number of earlier requests. */
async function withServer(
  handle: Handler,
  use: (bucket: Bucket, requests: string[]) => Promise<void>,
  { maxAttempts = 3, timeoutMs = 20_000 } = {},
) {
  const requests: string[] = []
  const server = createServer((request, response) => {
    const count = requests.push(`${request.method} ${request.url}`) - 1
    request.resume()
    request.once('end', () => handle(request, response, count))
  })
  const port = await listenLocally(server)
  const settings: BucketSettings = {
    url: `http://127.0.0.1:${port}/bucket`,
    prefix: 'p/',
    region: 'us-east-1',
    accessKey: 'key',
    secretKey: SECRET,
    contents: [],
  }
  try {
    await use(new Bucket(settings, { limits: { maxAttempts, retryMs: 1, timeoutMs } }), requests)
  } finally {
    server.closeAllConnections()
    server.close()
  }
}

const errorXml = (code: string) => `<?xml version="1.0"?><Error><Code>${code}</Code></Error>`
const listXml = (content: string) =>
  `<ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/">${content}</ListBucketResult>`
const objectXml = (key: string, size = '1') =>
  `<Contents><Key>${key}</Key><LastModified>2026-01-31T00:00:00.000Z</LastModified><Size>${size}</Size></Contents>`

describe('a request to a bucket', () => {
  it('is retried after temporary errors', async () => {
    const handle: Handler = (_request, response, count) =>
      count === 0
        ? response.writeHead(503).end(errorXml('SlowDown'))
        : count === 1
          ? response.destroy()
          : response.end('content')
    await withServer(handle, async (bucket, requests) => {
      assert.equal((await bucket.read('a'))?.toString(), 'content')
      assert.deepEqual(requests, Array(3).fill('GET /bucket/p/a'))
    })
  })

  it('fails with a one-line message without the keys if temporary errors persist', async () => {
    const handle: Handler = (_request, response) => response.writeHead(500).end(SECRET)
    await withServer(handle, async (bucket, requests) => {
      await assert.rejects(bucket.read('a'), (error: Error) => {
        assert.match(error.message, /^The bucket http:\S+ returned .*\(status 500\)\.$/)
        assert.ok(!error.message.includes(SECRET))
        return true
      })
      assert.equal(requests.length, 3)
    })
  })

  it('is not retried if the server denies it', async () => {
    const handle: Handler = (_request, response) =>
      response.writeHead(403).end(errorXml('AccessDenied'))
    await withServer(handle, async (bucket, requests) => {
      await assert.rejects(bucket.read('a'), { fault: 'denied' })
      assert.equal(requests.length, 1)
    })
  })

  it('is retried if the response is cut off', async () => {
    const handle: Handler = (_request, response, count) => {
      response.writeHead(200, { 'content-length': '7' }).write('cont')
      if (count === 0) setImmediate(() => response.destroy())
      else response.end('ent')
    }
    await withServer(handle, async (bucket) => {
      assert.equal((await bucket.read('a'))?.toString(), 'content')
    })
  })

  it('fails if the server does not respond or sends too slowly', async () => {
    const silent: Handler = () => {}
    const slow: Handler = (_request, response) => {
      const timer = setInterval(() => response.write('x'), 20)
      response.once('close', () => clearInterval(timer))
    }
    for (const handle of [silent, slow])
      await withServer(
        handle,
        // Uses a listing, because its timeout includes no time to transfer an object.
        (bucket) => assert.rejects(bucket.list(''), { message: /no response in time/ }),
        { maxAttempts: 2, timeoutMs: 200 },
      )
  })

  it('does not follow redirects', async () => {
    const handle: Handler = (_request, response) =>
      response.writeHead(307, { location: 'http://127.0.0.1:1/' }).end()
    await withServer(handle, async (bucket, requests) => {
      await assert.rejects(bucket.list(''), { fault: 'region', message: /BUCKET_REGION/ })
      assert.equal(requests.length, 1)
    })
  })

  for (const [code, status, fault] of [
    ['InvalidAccessKeyId', 403, 'access_key'],
    ['QuotaExceeded', 403, 'full'],
    ['XMinioStorageFull', 507, 'full'],
    ['AuthorizationHeaderMalformed', 400, 'region'],
  ] as const)
    it(`fails with an explanation of ${code}`, async () => {
      const handle: Handler = (_request, response) => response.writeHead(status).end(errorXml(code))
      await withServer(handle, (bucket) =>
        assert.rejects(bucket.write('a', Buffer.from('a')), { fault, isTransient: false }),
      )
    })
})

describe('a listing', () => {
  it('contains all pages, and only objects under the prefix', async () => {
    const pages = [
      listXml(
        `${objectXml('p/b')}${objectXml('elsewhere/c')}<IsTruncated>true</IsTruncated><NextContinuationToken>t+/=</NextContinuationToken>`,
      ),
      listXml(`${objectXml('p/a', '7')}<IsTruncated>false</IsTruncated>`),
    ]
    await withServer(
      (_request, response, count) => response.end(pages[count]),
      async (bucket, requests) => {
        const objects = await bucket.list('')
        assert.deepEqual(
          objects.map(({ name, bytes }) => [name, bytes]),
          [
            ['a', 7],
            ['b', 1],
          ],
        )
        assert.match(requests[1] ?? '', /continuation-token=t%2B%2F%3D/)
      },
    )
  })

  const endless: Record<string, [page: (count: number) => string, message: RegExp]> = {
    'never ends': [
      (count) =>
        `${objectXml(`p/${count}`)}<IsTruncated>true</IsTruncated><NextContinuationToken>${count}</NextContinuationToken>`,
      /lists more than 100000 objects/,
    ],
    'repeats a page': [
      () => '<IsTruncated>true</IsTruncated><NextContinuationToken>same</NextContinuationToken>',
      /a listing without a next page/,
    ],
    'lacks the token of the next page': [
      () => '<IsTruncated>true</IsTruncated>',
      /a listing without a next page/,
    ],
    'has an object without a size': [() => objectXml('p/a', 'NaN'), /without a size or time/],
  }
  for (const [name, [page, message]] of Object.entries(endless))
    it(`is rejected if it ${name}`, async () => {
      await withServer(
        (_request, response, count) => response.end(listXml(page(count))),
        (bucket) => assert.rejects(bucket.list(''), { message }),
      )
    })

  const pages: Record<string, string> = {
    'is a web page': '<!doctype html><title>Console</title>',
    'is empty': '',
    'defines entities': `<!DOCTYPE a [<!ENTITY e "eeee">]>${listXml('&e;')}`,
    'has too many levels': listXml('<a>'.repeat(50) + '</a>'.repeat(50)),
    'is larger than 4 MiB': listXml('x'.repeat(5 * 2 ** 20)),
  }
  for (const [name, text] of Object.entries(pages))
    it(`is rejected if it ${name}`, async () => {
      await withServer(
        (_request, response) => response.end(text),
        (bucket) => assert.rejects(bucket.list(''), { name: 'StorageError', isTransient: false }),
      )
    })
})

describe('an upload in parts', () => {
  const content = Buffer.from('content')
  async function* source() {
    yield content
  }
  /** Handles all requests of an upload except its completion. */
  const serveUpload =
    (complete: (response: ServerResponse, count: number) => void): Handler =>
    ({ method, url = '' }, response, count) => {
      if (url.endsWith('?uploads='))
        response.end(
          '<InitiateMultipartUploadResult><UploadId>u</UploadId></InitiateMultipartUploadResult>',
        )
      else if (method === 'PUT') response.writeHead(200, { etag: '"e"' }).end()
      else if (method === 'POST') complete(response, count)
      else if (method === 'DELETE') response.writeHead(204).end()
      else
        response
          .writeHead(206, { 'content-range': `bytes 0-0/${content.length}`, etag: '"e"' })
          .end('c')
    }

  it('succeeds if the response to its completion is lost', async () => {
    let isComplete = false
    const handle = serveUpload((response) => {
      if (isComplete) response.writeHead(404).end(errorXml('NoSuchUpload'))
      else response.destroy()
      isComplete = true
    })
    await withServer(handle, async (bucket, requests) => {
      assert.equal(await uploadParts(bucket, 'a', source()), content.length)
      assert.ok(!requests.some((request) => request.startsWith('DELETE')), requests.join('\n'))
    })
  })

  it('is aborted if its completion fails after status 200', async () => {
    const handle = serveUpload((response) => response.end(errorXml('InternalError')))
    await withServer(handle, async (bucket, requests) => {
      await assert.rejects(uploadParts(bucket, 'a', source()), /InternalError/)
      assert.equal(requests.at(-1), 'DELETE /bucket/p/a?uploadId=u')
    })
  })
})
