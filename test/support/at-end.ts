const closers: (() => Promise<void>)[] = []

/** For what all files of this process share: closes it once the last of them has run. */
export const atEnd = (close: () => Promise<void>) => void closers.push(close)

export async function closeShared() {
  for (const close of closers.splice(0)) await close()
}
