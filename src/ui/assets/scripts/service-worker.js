// Registers the service worker, in the language of the page. It shows a page while the service cannot be reached.
if ('serviceWorker' in navigator && document.querySelector('link[data-worker]'))
  addEventListener('load', () => {
    const url = `/service-worker.js?ui_locales=${document.documentElement.lang}`
    navigator.serviceWorker.register(url).catch(() => {})
  })
