const NAMES = new Set(['localhost', '127.0.0.1', '[::1]'])

/** True if the host of a URL is a loopback address or `localhost`. */
export const isLoopback = (hostname: string): boolean => NAMES.has(hostname)
