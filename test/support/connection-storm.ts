import { connect } from 'node:net'

/**
 * Program that connects to a port over and over, sends a byte on each connection, and expects another one. It ends
 * when the port refuses connections, and prints how many were answered and how many were lost after the byte was sent.
 */
const CLIENTS = 8
const [port = '0'] = process.argv.slice(2)
const counts = { answered: 0, lost: 0 }

/** Resolves to whether the port accepted the connection. */
const attempt = () =>
  new Promise<boolean>((resolve) => {
    let isConnected = false
    let isAnswered = false
    const socket = connect({ host: '127.0.0.1', port: Number(port) })
    socket.on('connect', () => {
      isConnected = true
      socket.write('?')
    })
    socket.on('data', () => {
      isAnswered = true
    })
    socket.on('error', () => {})
    socket.on('close', () => {
      if (isAnswered) counts.answered += 1
      else if (isConnected) counts.lost += 1
      resolve(isConnected)
    })
  })

async function run() {
  while (await attempt());
}
await Promise.all(Array.from({ length: CLIENTS }, run))
console.log(JSON.stringify(counts))
