import { connect } from 'node:net'

/** Whether connections to the URL are refused. */
export async function isConnectionRefused(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1')
  const refused = await new Promise<boolean>((resolve) => {
    socket.once('connect', () => resolve(false))
    socket.once('error', () => resolve(true))
  })
  socket.destroy()
  return refused
}
