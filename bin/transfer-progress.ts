import type { PrintOptions } from './print.ts'

/** Time between redraws, in milliseconds. */
const REDRAW_INTERVAL_MS = 200

/** Shows the progress of a backup or a restore in one line of the terminal, and nothing elsewhere. */
export function showTransfer({ json }: PrintOptions) {
  const isShown = process.stderr.isTTY && !json
  let lastDrawnAt = -Infinity
  const update = (line: string) => {
    if (!isShown || performance.now() - lastDrawnAt < REDRAW_INTERVAL_MS) return
    lastDrawnAt = performance.now()
    process.stderr.write(`\r${line}\u001B[K`)
  }
  return {
    update,
    /** Returns a function that shows the share of a file that has been read. */
    share: (verb: string) => (read: number, whole: number) =>
      update(`${verb}: ${Math.floor((read / whole) * 100)} % of ${formatBytes(whole)}`),
    end() {
      if (isShown && lastDrawnAt > 0) process.stderr.write('\r\u001B[K')
      lastDrawnAt = -Infinity
    },
  }
}

/** Formats a size as `12.3 MB`. */
export function formatBytes(bytes: number): string {
  const units = ['bytes', 'kB', 'MB', 'GB', 'TB']
  const power = bytes < 1000 ? 0 : Math.min(units.length - 1, Math.floor(Math.log10(bytes) / 3))
  const amount = bytes / 1000 ** power
  return `${power === 0 ? amount : amount.toFixed(1)} ${units[power]}`
}
