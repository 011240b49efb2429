const closers: (() => Promise<void>)[] = []

/** Closes a resource shared by all files of this process after the last of them. */
export const closeAtEnd = (close: () => Promise<void>) => void closers.push(close)

export async function closeSharedResources() {
  for (const close of closers.splice(0)) await close()
}
