import assert from 'node:assert/strict'
import type { Worker } from 'node:cluster'
import type { Socket } from 'node:net'
import { describe, it } from 'node:test'
import { ConnectionQueue } from './connection-queue.ts'
import type { ToWorker } from './messages.ts'

/** Creates a worker that records the connections that it gets. */
function fakeWorker() {
  const got: { id: number; handle: unknown }[] = []
  const worker: object = {
    send: (message: ToWorker, handle: unknown) =>
      message.type === 'connection' && got.push({ id: message.id, handle }),
  }
  // as: the queue uses nothing else
  return { worker: worker as Worker, got }
}

function fakeSocket(name: string) {
  const socket = {
    _handle: name,
    isClosed: false,
    on: () => {},
    destroy: () => (socket.isClosed = true),
  }
  return socket
}

/** Creates a queue with workers, and adds connections `c1`, `c2` and so on. */
function queueWith(workerCount: number, connectionCount: number) {
  const queue = new ConnectionQueue()
  const workers = Array.from({ length: workerCount }, fakeWorker)
  for (const { worker } of workers) queue.addWorker(worker)
  const names = Array.from({ length: connectionCount }, (_, at) => `c${at + 1}`)
  return { queue, workers, sockets: addTo(queue, ...names) }
}

function addTo(queue: ConnectionQueue, ...names: string[]) {
  const sockets = names.map(fakeSocket)
  // as: the queue uses nothing else
  for (const socket of sockets) queue.add(socket as object as Socket)
  return sockets
}

const handles = ({ got }: ReturnType<typeof fakeWorker>) => got.map(({ handle }) => handle)

describe('ConnectionQueue', () => {
  it('gives connections to workers in turn, and the next one only to a worker that received the last', () => {
    const { queue, workers, sockets } = queueWith(2, 4)
    const [first, second] = workers
    assert.ok(first && second)
    assert.deepEqual([handles(first), handles(second)], [['c1'], ['c2']])
    queue.onReceived(second.worker, second.got[0]?.id ?? 0)
    assert.deepEqual([handles(first), handles(second)], [['c1'], ['c2', 'c3']])
    assert.deepEqual(
      sockets.map(({ isClosed }) => isClosed),
      [false, true, false, false],
    )
  })

  it('gives the connection of a worker that was removed to another one', () => {
    const { queue, workers } = queueWith(2, 2)
    const [first, second] = workers
    assert.ok(first && second)
    queue.removeWorker(first.worker)
    queue.onReceived(second.worker, second.got[0]?.id ?? 0)
    assert.deepEqual(handles(second), ['c2', 'c1'])
  })

  it('gives nothing to a worker that was removed while it was free, until it is added again', () => {
    const { queue, workers } = queueWith(2, 0)
    const [first, second] = workers
    assert.ok(first && second)
    queue.removeWorker(first.worker)
    addTo(queue, 'c1', 'c2')
    assert.deepEqual([handles(first), handles(second)], [[], ['c1']])
    queue.addWorker(first.worker)
    assert.deepEqual([handles(first), handles(second)], [['c2'], ['c1']])
  })

  it('gives one connection at a time to a worker that was added twice', () => {
    const { queue, workers } = queueWith(1, 0)
    const [only] = workers
    assert.ok(only)
    queue.addWorker(only.worker)
    addTo(queue, 'c1', 'c2')
    queue.addWorker(only.worker)
    assert.deepEqual(handles(only), ['c1'])
  })

  it('gives connections again to a removed worker that receives one', () => {
    const { queue, workers, sockets } = queueWith(1, 1)
    const [only] = workers
    assert.ok(only)
    queue.removeWorker(only.worker)
    assert.deepEqual(handles(only), ['c1'])
    queue.onReceived(only.worker, only.got[0]?.id ?? 0)
    assert.deepEqual(handles(only), ['c1', 'c1'])
    assert.equal(sockets[0]?.isClosed, false)
  })

  it('is drained once workers have received all connections', async () => {
    const { queue, workers } = queueWith(1, 2)
    const [only] = workers
    assert.ok(only)
    let isDrained = false
    const drained = queue.drained().then(() => (isDrained = true))
    queue.onReceived(only.worker, only.got[0]?.id ?? 0)
    await Promise.resolve()
    assert.equal(isDrained, false)
    queue.onReceived(only.worker, only.got[1]?.id ?? 0)
    await drained
  })
})
