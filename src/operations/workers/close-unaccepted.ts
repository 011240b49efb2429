import type { Worker } from 'node:cluster'

/** Message of node:cluster. A primary hands a connection over with `act` and `seq`; the worker's reply repeats it. */
type ClusterMessage = { act?: unknown; seq?: unknown; ack?: unknown }

/**
 * Closes the connections that a worker has received but not accepted when it exits. node:cluster closes its own copy of
 * a connection only after the worker's reply. A killed worker never replies, so the connection would stay open, and its
 * client would wait for a response without end.
 */
export function closeUnaccepted({ process: child }: Worker) {
  const handedOver = new Map<unknown, { close(): void }>()
  const send = child.send.bind(child) as (...args: unknown[]) => boolean
  // as: node:cluster passes a message and a handle
  child.send = ((...args: [ClusterMessage, { close(): void }]) => {
    const [{ act, seq }, handle] = args
    if (act === 'newconn') handedOver.set(seq, handle)
    return send(...args)
  }) as unknown as typeof child.send
  child.on('internalMessage', ({ ack }: ClusterMessage) => handedOver.delete(ack))
  // By then, all replies have been read. A killed process emits no `disconnect` while a connection is in transit.
  child.once('close', () => {
    for (const handle of handedOver.values()) handle.close()
  })
}
