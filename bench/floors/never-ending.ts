import { createServer } from 'node:http'

/** Floor for waiting requests: a bare server that never responds to URLs with `wait=`, and to all others at once. */
const server = createServer((request, response) => {
  if (!request.url?.includes('wait=')) response.end('{}')
})

server.listen(0, '127.0.0.1', () => {
  const address = server.address()
  if (address && typeof address === 'object')
    console.log(JSON.stringify({ listening: `http://127.0.0.1:${address.port}` }))
})
