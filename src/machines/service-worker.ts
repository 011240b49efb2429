/**
 * Paths that the service worker leaves to the browser: the protocol, sign-in and account pages, whose redirects and
 * errors belong to the browser alone.
 */
const EXCLUDED_PATHS = ['/oidc/', '/interaction/', '/sign-', '/account', '/api/', '/v3/']

export type ServiceWorkerOptions = {
  /** Path of the page that is shown while the service cannot be reached. */
  offlinePath: string
  /** URLs of the assets of that page, with their versions. */
  assets: readonly string[]
}

/**
 * Returns the service worker. It stores the offline page and versioned assets, and no other response. Its text changes
 * with the assets, so that browsers replace it, and its cache, after an update.
 */
export const serviceWorker = ({
  offlinePath,
  assets,
}: ServiceWorkerOptions): string => `'use strict'
const OFFLINE = ${JSON.stringify(offlinePath)}
const ASSETS = ${JSON.stringify(assets)}
const EXCLUDED = ${JSON.stringify(EXCLUDED_PATHS)}
const CACHE = JSON.stringify([OFFLINE, ...ASSETS])
const find = (url) => caches.match(url, { ignoreVary: true })

addEventListener('install', (event) => {
  const stored = caches.open(CACHE).then((cache) => cache.addAll([OFFLINE, ...ASSETS]))
  event.waitUntil(stored.then(() => skipWaiting()))
})

addEventListener('activate', (event) => {
  const removed = caches.keys().then((names) => Promise.all(names.map((name) => name !== CACHE && caches.delete(name))))
  event.waitUntil(removed.then(() => clients.claim()))
})

addEventListener('fetch', (event) => {
  const { request } = event
  const { origin, pathname, search } = new URL(request.url)
  if (request.method !== 'GET' || origin !== location.origin) return
  if (request.mode === 'navigate') {
    if (EXCLUDED.some((path) => pathname.startsWith(path))) return
    event.respondWith(fetch(request).catch(async (error) => {
      const page = await find(OFFLINE)
      if (page) return page
      throw error
    }))
  } else if (pathname.startsWith('/assets/') && search.startsWith('?v='))
    event.respondWith(find(request).then((stored) => stored ?? fetchAsset(request)))
})

async function fetchAsset(request) {
  const response = await fetch(request)
  // A URL with a version always returns the same bytes; one with another version may be cached briefly only.
  if (response.ok && /immutable/.test(response.headers.get('cache-control'))) {
    const cache = await caches.open(CACHE)
    await cache.put(request, response.clone()).catch(() => {})
  }
  return response
}
`

/** Removes the service worker and its caches from browsers that have it. */
export const NO_SERVICE_WORKER = `'use strict'
addEventListener('install', () => skipWaiting())
addEventListener('activate', (event) => {
  const removed = caches.keys().then((names) => Promise.all(names.map((name) => caches.delete(name))))
  event.waitUntil(removed.then(() => registration.unregister()))
})
`
