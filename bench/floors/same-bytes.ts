import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'

/** The least a Node server can do: sends the bytes of a file from one Buffer for every request. */
const body = readFileSync(process.argv[2] ?? '')
const headers = [
  'content-type',
  'application/json; charset=utf-8',
  'content-length',
  String(body.length),
]

const server = createServer((_request, response) => {
  response.writeHead(200, headers)
  response.end(body)
})

server.listen(0, '127.0.0.1', () => {
  const address = server.address()
  if (address && typeof address === 'object')
    console.log(JSON.stringify({ listening: `http://127.0.0.1:${address.port}` }))
})
