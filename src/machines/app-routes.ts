import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { etagOf, matchesEtag } from '../http/wire/etag.ts'
import { PAGE, type PageRouteOptions } from '../site/options.ts'
import { html } from '../ui/html.ts'
import { sendPage } from '../ui/page/send-page.ts'
import { NO_SERVICE_WORKER, serviceWorker } from './service-worker.ts'

/** Colors of the light theme, as in `tokens.css`. */
const PAPER = '#f6f4f0'

const ICONS = [
  { name: 'icon-192.png', sizes: '192x192', purpose: 'any' },
  { name: 'icon-512.png', sizes: '512x512', purpose: 'any' },
  { name: 'icon-maskable.png', sizes: '512x512', purpose: 'maskable' },
]

/** Assets of every page. */
const SHARED_ASSETS = ['style.css', 'display.woff2', 'favicon.svg', 'find.js']

/** Serves what makes the site an installable app: its manifest, service worker and offline page (decision 0048). */
export async function appRoutes(app: FastifyInstance, { operations }: PageRouteOptions) {
  const hasServiceWorker = operations.config.serviceWorker === 'on'
  const assetUrl = (name: string) => app.site?.assetUrl(name) ?? `/assets/${name}`

  app.get('/manifest.webmanifest', PAGE, (request, reply) => {
    const { messages, language, siteName } = request.page
    const shortcut = (name: string, url: string) => ({ name, url })
    const manifest = {
      id: '/',
      name: siteName,
      short_name: siteName,
      description: messages.home.description,
      lang: language,
      start_url: '/',
      scope: '/',
      display: 'standalone',
      background_color: PAPER,
      theme_color: PAPER,
      icons: ICONS.map(({ name, ...icon }) => ({
        src: assetUrl(name),
        type: 'image/png',
        ...icon,
      })),
      shortcuts: [
        shortcut(messages.layout.myList, '/library'),
        shortcut(messages.layout.search, '/search'),
        shortcut(messages.calendar.title, '/calendar'),
      ],
    }
    return sendText(request, reply, JSON.stringify(manifest), {
      'content-type': 'application/manifest+json; charset=utf-8',
      'cache-control': 'public, max-age=3600',
      vary: 'Accept-Language, Cookie',
    })
  })

  app.get('/service-worker.js', PAGE, (request, reply) => {
    const assets = SHARED_ASSETS.map(assetUrl)
    const offlinePath = `/offline?ui_locales=${request.page.language}`
    const text = hasServiceWorker ? serviceWorker({ offlinePath, assets }) : NO_SERVICE_WORKER
    return sendText(request, reply, text, {
      'content-type': 'text/javascript; charset=utf-8',
      'cache-control': 'no-cache',
      vary: 'Accept-Language, Cookie',
      'content-security-policy': "default-src 'none'; connect-src 'self'",
    })
  })

  // Guests and users get the same page, because browsers keep it after the sign-out.
  app.get('/offline', PAGE, (request, reply) => {
    const { page } = request
    page.viewer = undefined
    const { offline: texts, error } = page.messages
    return sendPage(request, reply, {
      title: texts.title,
      head: { robots: 'noindex' },
      body: html`<h1>${texts.title}</h1>
<p>${texts.text}</p>
<div class="actions"><a class="button" href="">${error.again}</a></div>`,
    })
  })
}

function sendText(
  { headers: sent, id }: FastifyRequest,
  reply: FastifyReply,
  text: string,
  headers: Record<string, string>,
): FastifyReply {
  const etag = etagOf(text)
  void reply.headers({ ...headers, 'x-content-type-options': 'nosniff', 'x-request-id': id, etag })
  const known = sent['if-none-match']
  return known !== undefined && matchesEtag(known, etag)
    ? reply.status(304).send()
    : reply.send(text)
}
