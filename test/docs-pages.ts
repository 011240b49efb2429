/**
 * Generates the screenshots of docs/pages.md: `npm test -- test/docs-pages.ts`. The catalog is the sample; its covers
 * are drawn here, since we may not publish the sources' own. With `SCREENSHOTS=FOLDER` it writes pages at
 * four widths, in both themes and five languages, into that folder. `SCREENSHOTS_OF` is a regular expression of paths,
 * `SCREENSHOTS_LOOKS` one of looks such as `360-light-en-GB`, and `SCREENSHOTS_OPEN` the selector of a menu to open.
 */
import { createHash } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { after, before, it } from 'node:test'
import { sql } from 'kysely'
import type { Browser } from 'playwright-core'
import sharp from 'sharp'
import { setRole } from '../src/accounts/role-queries.ts'
import { WORK_KINDS } from '../src/catalog/kinds.ts'
import { STATUSES } from '../src/ratings/fields.ts'
import { authorizationRequest, CALLBACK, createClient } from '#test/authorization.ts'
import { startChromium } from '#test/chromium.ts'
import { createFilledUser, type FilledUser } from '#test/filled-user.ts'
import { freePort } from '#test/free-port.ts'
import { createAccounts, waitForTotals, writeRating } from '#test/ratings.ts'
import { startService, type TestService } from '#test/service.ts'
import { sampleWorks } from '#test/sample-works.ts'
import { openSignedInPage } from '#test/signed-in-page.ts'

const DOCS = fileURLToPath(new URL('../docs/pages/', import.meta.url))

type Color = [red: number, green: number, blue: number]

/** Converts hue in degrees, and saturation and lightness in 0..1. */
function color(hue: number, saturation: number, light: number): Color {
  const part = (offset: number) => {
    const turn = (offset + hue / 30) % 12
    return (
      255 *
      (light -
        saturation * Math.min(light, 1 - light) * Math.max(-1, Math.min(turn - 3, 9 - turn, 1)))
    )
  }
  return [part(0), part(8), part(4)]
}

/**
 * Draws a distinct cover for each URL: two hills and a sun, in colors of its hash. Drawn pixel by pixel, because the
 * service disables SVG in sharp.
 */
function drawCover(url: string, width: number, height: number): Promise<Buffer> {
  const [hue = 0, tilt = 0, sun = 0] = createHash('sha256').update(url).digest()
  const tone = (shift: number, light: number) => color((hue * 360) / 256 + shift, 0.42, light)
  const [top, bottom, disc, far, near] = [
    tone(0, 0.36),
    tone(40, 0.8),
    tone(180, 0.9),
    tone(20, 0.32),
    tone(330, 0.2),
  ]
  const pixels = Buffer.alloc(width * height * 3)
  for (let y = 0; y < height; y += 1)
    for (let x = 0; x < width; x += 1) {
      const [relativeX, relativeY] = [x / width, y / height]
      const isSun = Math.hypot(relativeX - 0.25 - sun / 512, (relativeY - 0.3) * 1.5) < 0.15
      const farHill = 0.62 - 0.12 * Math.sin(Math.PI * relativeX) + (tilt / 1_500) * (1 - relativeX)
      const nearHill = 0.84 - 0.1 * Math.sin(Math.PI * (relativeX + tilt / 512))
      const sky = top.map((value, index) => value + ((bottom[index] ?? value) - value) * relativeY)
      const shown = relativeY > nearHill ? near : relativeY > farHill ? far : isSun ? disc : sky
      pixels.set(
        shown.map((value) => Math.round(value)),
        (y * width + x) * 3,
      )
    }
  return sharp(pixels, { raw: { width, height, channels: 3 } })
    .jpeg({ quality: 85 })
    .toBuffer()
}

let service: TestService
let browser: Browser
let closeOrigin: () => Promise<void>
let user: FilledUser

before(async () => {
  const port = await freePort()
  const origin = `http://127.0.0.1:${port}`
  const server = createServer((request, response) => {
    const url = request.url ?? ''
    const [width, height] = url.startsWith('/portrait') ? [240, 320] : [400, 600]
    void drawCover(url, width, height).then((bytes) =>
      response.setHeader('content-type', 'image/jpeg').end(bytes),
    )
  })
  await new Promise<void>((listening) => server.listen(port, '127.0.0.1', listening))
  closeOrigin = () => new Promise((closed) => server.close(() => closed()).closeAllConnections())
  service = await startService({
    environment: {
      IMAGE_ORIGINS: origin,
      PAGE_REQUESTS_PER_MINUTE: '1000000',
      IMAGE_REQUESTS_PER_MINUTE: '1000000',
    },
  })
  const { db } = service
  const media = (
    path: string,
  ) => sql`jsonb_build_object('url', ${`${origin}/${path}/`}::text || id, 'width', ${path === 'portrait' ? 240 : 400}::integer,
    'height', ${path === 'portrait' ? 320 : 600}::integer, 'sexual', 0, 'violence', 0)`
  for (const table of ['galgames', 'light_novels', 'mangas'])
    await sql`update ${sql.table(table)} set covers = jsonb_build_array(${media(table)} || '{"votes": 1}')`.execute(
      db,
    )
  await sql`update light_novel_volumes set covers = jsonb_build_array(${media('volume')} || '{"votes": 1}')`.execute(
    db,
  )
  for (const table of ['people', 'characters'])
    await sql`update ${sql.table(table)} set image = ${media('portrait')} where id % 3 <> 0`.execute(
      db,
    )

  // Enough users for ranked lists and a histogram per work.
  const works = await sampleWorks(db)
  const accounts = await createAccounts(db, 30)
  for (const [user, accountId] of accounts.entries())
    for (const kind of WORK_KINDS)
      for (const [index, id] of works[kind].slice(0, 24).entries()) {
        if ((user + index) % 3 === 0) continue
        const rate = Math.min(10, 5 + ((user * 7 + index * 3) % 11) / 2)
        const status = STATUSES[(user + index) % STATUSES.length] ?? null
        const isReview = index < 2 && user % 9 === 4
        await writeRating(
          db,
          accountId,
          { id, kind },
          { rate, status, ...(isReview && { rate_content: REVIEW, is_spoiler: user > 20 }) },
        )
      }
  user = await createFilledUser(service)
  await waitForTotals(db)
  browser = await startChromium()
})
after(async () => {
  await browser?.close()
  await service?.close()
  await closeOrigin?.()
})

const LOOKS = [
  [360, 'light', 'en-GB'],
  [360, 'dark', 'ja'],
  [768, 'light', 'zh-CN'],
  [768, 'dark', 'zh-TW'],
  [1_280, 'light', 'en-GB'],
  [1_280, 'dark', 'ko'],
  [1_920, 'dark', 'en-GB'],
] as const

const REVIEW =
  'The first chapters take their time, and that is what the last ones live on.\n\nRead it with the music on; the illustrations alone are worth a second look.'

type Shot = {
  name: string
  path: string
  width: number
  theme: 'light' | 'dark'
  locale?: string
  isReader?: boolean
  whole?: boolean
}

async function takeScreenshot({
  path,
  width,
  theme,
  locale = 'en-GB',
  isReader = false,
  whole = false,
}: Shot): Promise<Buffer> {
  const context = await browser.newContext({
    viewport: { width, height: width < 500 ? 780 : 860 },
    deviceScaleFactor: width < 500 ? 2 : 1,
    colorScheme: theme,
    locale,
  })
  const page = isReader ? await openSignedInPage(service, context, user) : await context.newPage()
  await page.goto(service.url + path)
  await page.evaluate(`(async () => {
    for (const image of document.images) image.loading = 'eager'
    await Promise.all([...document.images].map((image) => image.decode().catch(() => {})))
  })()`)
  const menu = process.env['SCREENSHOTS_OPEN']
  if (menu !== undefined) await page.locator(menu).first().click()
  const shot = await page.screenshot({ fullPage: whole })
  await context.close()
  return shot
}

it('writes the screenshots', { timeout: 600_000 }, async () => {
  const works = await sampleWorks(service.db)
  const [game = 0] = works.galgame
  const [novel = 0] = works.light_novel
  const { rows } = await sql<{
    person: number
    producer: number
    character: number
    review: number
  }>`
    select
      (select person_id from galgame_character_actors group by 1 order by count(*) desc, 1 limit 1) as person,
      (select producer_id from galgame_producers group by 1 order by count(*) desc, 1 limit 1) as producer,
      (select min(character_id) from galgame_characters) as character,
      (select max(id) from ratings where work_id = ${game} and rate_content <> '') as review`.execute(
    service.db,
  )
  const [ids] = rows
  const folder = process.env['SCREENSHOTS']
  if (folder !== undefined) {
    mkdirSync(folder, { recursive: true })
    const app = await createClient(service, { clientName: '本棚ランチャー' })
    const consent = authorizationRequest(app, { redirect_uri: CALLBACK }).path
    const [year, month] = ['/library/statistics?year=2024', '/calendar?month=2016-11']
    const guestPages = [
      '/',
      '/light-novels',
      '/galgames?view=table',
      '/galgames?year=2004&sort=name',
      '/galgames?year=1901',
      '/search?q=a',
      '/search?q=nonexistent',
      '/tags',
      `/galgames/${game}`,
      `/light-novels/${novel}`,
      `/mangas/${works.manga[0] ?? 0}`,
      `/people/${ids?.person}`,
      `/producers/${ids?.producer}`,
      `/characters/${ids?.character}`,
      '/people',
      `/galgames/${game}/characters`,
      `/galgames/${game}/staff`,
      `/galgames/${game}/reviews`,
      `/galgames/${game}/reviews/${ids?.review}`,
      '/tags/Romance',
      '/guide/start',
      '/docs',
      '/docs/getGalgame',
      '/sign-in',
      '/offline',
      '/nothing/here',
    ]
    await setRole(service.db, user.id, 'ADMIN')
    const staff = ['', '/accounts', `/accounts/${user.id}`, '/reports', '/matches', '/entries']
    const paths = [
      year,
      month,
      consent,
      '/library/import',
      '/account',
      '/account/preferences',
      '/console',
      ...user.paths,
      ...staff.map((path) => `/desk${path}`),
    ]
    const pages = [
      ...guestPages.map((path) => ({ path, isReader: false })),
      ...new Set(['/', `/galgames/${game}`, ...paths])
        .values()
        .map((path) => ({ path, isReader: true })),
    ].filter(({ path }) => path.match(process.env['SCREENSHOTS_OF'] ?? ''))
    for (const { path, isReader } of pages)
      for (const [width, theme, locale] of LOOKS) {
        if (!`${width}-${theme}-${locale}`.match(process.env['SCREENSHOTS_LOOKS'] ?? '')) continue
        const name = `${isReader ? 'user' : 'guest'}${path.slice(0, 60).replaceAll(/[^a-z0-9]+/gi, '-')}`
        writeFileSync(
          join(folder, `${name}-${width}-${theme}-${locale}.png`),
          await takeScreenshot({ name, path, width, theme, locale, isReader, whole: true }),
        )
      }
    return
  }
  const shots: Shot[] = [
    { name: 'home', path: '/', width: 1_280, theme: 'light' },
    { name: 'list', path: '/light-novels', width: 1_280, theme: 'dark' },
    { name: 'work', path: `/galgames/${game}`, width: 1_280, theme: 'light', isReader: true },
    { name: 'library', path: '/library', width: 1_280, theme: 'light', isReader: true },
    { name: 'work-phone', path: `/light-novels/${novel}`, width: 390, theme: 'dark', locale: 'ja' },
    {
      name: 'search-phone',
      path: '/search?q=kuranado',
      width: 390,
      theme: 'light',
      locale: 'zh-CN',
    },
  ]
  mkdirSync(DOCS, { recursive: true })
  for (const shot of shots)
    await sharp(await takeScreenshot(shot))
      .resize({ width: shot.width > 500 ? 1_000 : 520 })
      .webp({ quality: 78 })
      .toFile(join(DOCS, `${shot.name}.webp`))
})
