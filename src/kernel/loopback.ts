const NAMES = new Set(['localhost', '127.0.0.1', '[::1]'])

/** Whether a host of a URL is this machine, as only this machine means it. */
export const isLoopback = (hostname: string): boolean => NAMES.has(hostname)
