import { createServer } from 'node:http'

/** The least a Node server can keep for requests that wait: it responds to all but those with `wait` in their URL. */
const server = createServer((request, response) => {
  if (!request.url?.includes('wait=')) response.end('{}')
})

server.listen(0, '127.0.0.1', () => {
  const address = server.address()
  if (address && typeof address === 'object')
    console.log(JSON.stringify({ listening: `http://127.0.0.1:${address.port}` }))
})
