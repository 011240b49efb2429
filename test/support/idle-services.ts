/** An open service that no test is using. */
type IdleService = { url: string; config: { dataDir: string } }

const idle = new Map<() => Promise<void>, IdleService>()

/**
 * Leaves a service open for later tests until a test creates its own database. An idle service keeps polling for work.
 */
export const addIdleService = (service: IdleService, close: () => Promise<void>) =>
  void idle.set(close, service)

/** Removes a service that is used again, or closed. */
export const removeIdleService = (close: () => Promise<void>) => void idle.delete(close)

export const idleServices = () => [...idle.values()]

export async function closeIdle() {
  const closing = [...idle.keys()]
  idle.clear()
  for (const close of closing) await close()
}
