/** A service that stays open for later tests and that nobody uses now. */
type IdleService = { url: string; config: { dataDir: string } }

const idle = new Map<() => Promise<void>, IdleService>()

/** Keeps a service open for later tests, until one makes a database of its own: an idle service still looks for work all the time. */
export const keepIdle = (service: IdleService, close: () => Promise<void>) =>
  void idle.set(close, service)

/** Takes a service back that is to be used again, or is closed. */
export const takeIdle = (close: () => Promise<void>) => void idle.delete(close)

export const idleServices = () => [...idle.values()]

export async function closeIdle() {
  const closing = [...idle.keys()]
  idle.clear()
  for (const close of closing) await close()
}
