import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { createClient } from '#test/authorization.ts'
import { describeOnDatabase } from '#test/databases.ts'
import { numberAllChanges } from '#test/change-feed.ts'
import { waitForTotals } from '#test/ratings.ts'
import { sendApiRequest, signIn, type SignedInUser } from '#test/user-api.ts'
import { startService, type TestApp, type TestService } from '#test/service.ts'
import { first, sampleWorks } from '#test/sample-works.ts'
import {
  envelope,
  booleanValue,
  integerValue,
  list,
  nullValue,
  nullable,
  numberValue,
  object,
  enumOf,
  pageMeta,
  stringValue,
  timestamp,
} from './decoders.ts'
import { decode, replay, type RecordedResponse } from './record.ts'

const cover = object({
  url: stringValue,
  sexual: integerValue,
  violence: integerValue,
  votes: integerValue,
  width: nullable(integerValue),
  height: nullable(integerValue),
})
const media = {
  id: integerValue,
  src: stringValue,
  width: nullable(integerValue),
  height: nullable(integerValue),
}

describeOnDatabase('an existing client', (engine) => {
  let service: TestService
  let works: Awaited<ReturnType<typeof sampleWorks>>
  let app: TestApp
  let token: string
  let user: SignedInUser
  before(async () => {
    service = await startService({ engine })
    works = await sampleWorks(service.db)
    app = await createClient(service, { scopes: ['catalog:full', 'catalog:sync'] })
    token = await accessToken('catalog:full catalog:sync')
    user = await signIn(service, { scope: 'user:read status:write collection:write' })
  })
  after(() => service.close())

  /** Requests a token like a client that also sends its id in the form. */
  async function accessToken(scope: string) {
    const credentials = Buffer.from(`${app.clientId}:${app.secret}`).toString('base64')
    const response = await replay(
      service.url,
      `POST /oidc/token HTTP/1.1
      Accept: application/json
      Authorization: Basic ${credentials}
      Content-Type: application/x-www-form-urlencoded; charset=utf-8
      User-Agent: okhttp/4.12.0

grant_type=client_credentials&client_id=${app.clientId}&scope=${encodeURIComponent(scope)}&resource=${encodeURIComponent(`${service.url}/open`)}`,
    )
    const tokens = decode(
      object({
        access_token: stringValue,
        token_type: enumOf('Bearer'),
        expires_in: integerValue,
        scope: stringValue,
      }),
      response,
    )
    assert.equal(tokens.expires_in, 3600)
    return tokens.access_token
  }

  const asApp = (line: string, ...headers: string[]): Promise<RecordedResponse> =>
    replay(
      service.url,
      [
        `${line} HTTP/1.1`,
        'Accept: application/json',
        'Authorization: Bearer {token}',
        ...headers,
      ].join('\n'),
      token,
    )
  const requestAsReader = (line: string, body?: object): Promise<RecordedResponse> =>
    replay(
      service.url,
      [
        `${line} HTTP/1.1`,
        'Accept: application/json, text/plain, */*',
        'Authorization: Bearer {token}',
        'User-Agent: Dart/3.4 (dart:io)',
        ...(body ? ['Content-Type: application/json', '', JSON.stringify(body)] : []),
      ].join('\n'),
      user.token,
    )

  it('shows a game, its cast and its producers', async () => {
    const id = first(works.galgame)
    const game = decode(
      envelope(
        object({
          id: integerValue,
          origin_title: stringValue,
          trans_title: nullable(stringValue),
          en_title: nullable(stringValue),
          developer: nullable(stringValue),
          release_date: nullable(timestamp),
          nsfw: booleanValue,
          aliases: list(stringValue),
          covers: list(cover),
          external_links: list(object({ label: stringValue, name: stringValue, url: stringValue })),
          steam_apps: list(object({ app_id: integerValue })),
          vndb_id: nullable(integerValue),
          bangumi_game_id: nullable(integerValue),
          rating: object({ score: numberValue, total: integerValue }),
          tags: list(object({ name: stringValue, likes: integerValue })),
        }),
      ),
      await asApp(
        `GET /api/v3/open/galgames/${id}`,
        'User-Agent: okhttp/4.12.0',
        'Accept-Encoding: identity',
      ),
    ).data
    assert.equal(game.id, id)
    const cast = await asApp(`GET /api/v3/open/galgames/${id}/characters?page=1&page_size=5`)
    const reference = object({
      id: integerValue,
      name: stringValue,
      trans_name: nullable(stringValue),
    })
    const shown = decode(
      envelope(list(object({ role: stringValue, character: reference, actors: list(reference) }))),
      cast,
    ).data
    assert.equal(shown.length, Math.min(5, Number(cast.headers['x-total-count'])))
    const makers = decode(
      envelope(
        list(
          object({
            role: nullable(enumOf('DEVELOPER', 'PUBLISHER', 'LOCALIZER')),
            note: stringValue,
            producer: reference,
          }),
        ),
      ),
      await asApp(`GET /v3/galgames/${id}/producers`),
    ).data
    const developer = makers.find(({ role }) => role === 'DEVELOPER')
    assert.equal(game.developer, developer?.producer.name ?? null)
  })

  it('finds its games by their VNDB ids', async () => {
    const expected = object({ id: integerValue, vndb_id: nullable(integerValue) })
    const found = new Map<number, number>()
    for (const id of works.galgame) {
      const { data } = decode(envelope(expected), await asApp(`GET /v3/galgames/${id}`))
      if (data.vndb_id !== null) found.set(data.vndb_id, data.id)
    }
    assert.ok(found.size > 1, 'the sample has VNDB ids')
  })

  it('saves a cover after checking that this service hosts it', async () => {
    const covers: string[] = []
    for (const id of works.galgame) {
      const { data } = decode(
        envelope(object({ covers: list(cover) })),
        await asApp(`GET /api/v3/open/galgames/${id}`, 'User-Agent: NekoBox/1.0'),
      )
      covers.push(...data.covers.map(({ url }) => url))
    }
    assert.ok(covers.length > 0)
    for (const url of covers) assert.equal(new URL(url).host, new URL(service.url).host, url)
  })

  it('finds the Bangumi ids of works under the field names that it expects', async () => {
    const galgame = object({
      bangumi_game_id: nullable(integerValue),
      bangumi_id: nullable(integerValue),
      external_source: object({ vndb: nullable(stringValue), bangumi: nullable(stringValue) }),
    })
    const novel = object({
      bangumi_id: nullable(integerValue),
      bangumi_book_id: nullable(integerValue),
    })
    const manga = object({
      bangumi_id: nullable(integerValue),
      bangumi_subject_id: nullable(integerValue),
    })
    const filled = { galgame: 0, novel: 0, manga: 0 }
    for (const id of works.galgame) {
      const { data } = decode(envelope(galgame), await asApp(`GET /v3/galgames/${id}`))
      assert.equal(data.bangumi_id, data.bangumi_game_id)
      assert.equal(
        data.external_source.bangumi,
        data.bangumi_id === null ? null : String(data.bangumi_id),
      )
      if (data.bangumi_id !== null) filled.galgame += 1
    }
    for (const id of works.light_novel) {
      const { data } = decode(envelope(novel), await asApp(`GET /v3/light-novels/${id}`))
      assert.equal(data.bangumi_book_id, data.bangumi_id)
      if (data.bangumi_book_id !== null) filled.novel += 1
    }
    for (const id of works.manga) {
      const { data } = decode(envelope(manga), await asApp(`GET /v3/mangas/${id}`))
      assert.equal(data.bangumi_subject_id, data.bangumi_id)
      if (data.bangumi_subject_id !== null) filled.manga += 1
    }
    for (const [kind, count] of Object.entries(filled)) assert.ok(count > 1, `${kind}: ${count}`)
  })

  it('imports a user’s list: reads all pages, and requests the works by the returned ids', async () => {
    const rated = [...works.galgame, ...works.light_novel, ...works.manga].slice(0, 40)
    const pathOf = (id: number) =>
      works.galgame.includes(id)
        ? 'galgames'
        : works.light_novel.includes(id)
          ? 'light-novels'
          : 'mangas'
    for (const id of rated)
      decodeAny(
        await requestAsReader(`PUT /v3/user/me/rates/${pathOf(id)}/${id}`, { status: 'PLAN' }),
      )
    const imported = new Set<string>()
    for (let page = 1, pages = 1; page <= pages; page += 1) {
      const { data } = decode(
        envelope(
          object({
            items: list(
              object({
                id: integerValue,
                rate_id: integerValue,
                work_type: enumOf('GALGAME', 'LIGHT_NOVEL', 'MANGA'),
                title: stringValue,
                cover: nullable(
                  object({
                    ...media,
                    nsfw: booleanValue,
                    sexual: integerValue,
                    violence: integerValue,
                  }),
                ),
                status: nullable(enumOf('GOING', 'COMPLETED', 'ON_HOLD', 'DROPPED', 'PLAN')),
                rate: nullable(numberValue),
                rate_content: nullable(stringValue),
                is_spoiler: booleanValue,
                dimensions: list(object({ key: stringValue, score: numberValue })),
                last_activity_at: timestamp,
              }),
            ),
            meta: pageMeta,
          }),
        ),
        await requestAsReader(`GET /v3/user/me/rates?page=${page}&page_size=15`),
      )
      pages = data.meta.total_pages
      for (const { id, work_type, title } of data.items) {
        const path = { GALGAME: 'galgames', LIGHT_NOVEL: 'light-novels', MANGA: 'mangas' }[
          work_type
        ]
        const work = await asApp(`GET /v3/${path}/${id}`)
        const { data: entry } = decode(
          envelope((value) => value as Record<string, unknown>),
          work,
        )
        const names = [entry['origin_title'], entry['trans_title'], entry['name'], entry['name_cn']]
        assert.ok(names.includes(title), `${title} is ${JSON.stringify(names)}`)
        imported.add(`${path}/${id}`)
      }
    }
    assert.deepEqual(imported, new Set(rated.map((id) => `${pathOf(id)}/${id}`)))
    const { data } = decode(
      envelope(object({ items: list(object({ work_type: enumOf('MANGA') })), meta: pageMeta })),
      await requestAsReader(
        'GET /v3/user/me/rates?work_type=MANGA&status=PLAN&page=1&page_size=100',
      ),
    )
    assert.equal(data.meta.total_items, rated.filter((id) => works.manga.includes(id)).length)
  })

  it('records a game as being played, sends back the data that it read, and clears the status', async () => {
    const path = `/v3/user/me/rates/galgames/${works.galgame.at(-1)}`
    decodeAny(await requestAsReader(`DELETE ${path}`), 204)
    decodeAny(await requestAsReader(`GET ${path}`), 404)
    const record = envelope(
      object({
        id: integerValue,
        status: nullable(enumOf('GOING', 'COMPLETED', 'ON_HOLD', 'DROPPED', 'PLAN')),
        rate: nullable(numberValue),
        rate_content: stringValue,
        is_spoiler: booleanValue,
        status_private: booleanValue,
        time_to_finish_minutes: integerValue,
        like_count: integerValue,
        dislike_count: integerValue,
        created_at: timestamp,
        updated_at: timestamp,
      }),
    )
    const created = decode(
      record,
      await requestAsReader(`PUT ${path}`, { status: 'GOING', rate: 8.5 }),
    ).data
    const sent = { ...created, status: 'COMPLETED', time_to_finish_minutes: 90 }
    const finished = decode(record, await requestAsReader(`PUT ${path}`, sent)).data
    assert.deepEqual([finished.id, finished.status, finished.rate], [created.id, 'COMPLETED', 8.5])
    const without = decode(record, await requestAsReader(`PUT ${path}`, { status: null })).data
    assert.deepEqual([without.status, without.rate], [null, 8.5])
  })

  it('shows the signed-in user', async () => {
    const { data } = decode(
      envelope(
        object({
          id: integerValue,
          name: stringValue,
          nickname: nullable(stringValue),
          avatar: nullable(object(media)),
          bio: nullable(stringValue),
          role: enumOf('USER', 'ADMIN', 'SUPER_ADMIN'),
          status: enumOf('ACTIVE', 'INACTIVE', 'BANNED'),
          follower_count: integerValue,
          is_following: booleanValue,
          equipped_frame: nullValue,
          equipped_badges: list(stringValue),
        }),
      ),
      await requestAsReader('GET /api/v3/open/user/me'),
    )
    assert.equal(data.name, user.user.name)
  })

  it('saves a favorite in the default collection', async () => {
    const id = first(works.galgame)
    const { data: all } = decode(
      envelope(
        list(
          object({
            id: integerValue,
            name: stringValue,
            is_private: booleanValue,
            is_default: booleanValue,
            item_count: integerValue,
          }),
        ),
      ),
      await requestAsReader('GET /v3/user/me/collections'),
    )
    const standard = all.find(({ is_default }) => is_default)
    const path = `/v3/user/me/collections/${standard?.id}`
    const put = await requestAsReader(`PUT ${path}/galgames/${id}`, { note: 'again in winter' })
    assert.equal(decode(envelope(object({ favorited: booleanValue })), put).data.favorited, true)
    const { data } = decode(
      envelope(
        object({
          items: list(
            object({
              type: enumOf('galgame', 'light_novel', 'manga'),
              id: integerValue,
              note: nullable(stringValue),
              created_at: timestamp,
              galgame: object({ id: integerValue, origin_title: stringValue, covers: list(cover) }),
            }),
          ),
          meta: pageMeta,
          type_counts: object({
            total: integerValue,
            galgame: integerValue,
            light_novel: integerValue,
            manga: integerValue,
            article: integerValue,
            post: integerValue,
          }),
        }),
      ),
      await requestAsReader(`GET ${path}/items?type=galgame&page=1&page_size=20`),
    )
    assert.ok(data.items.some((item) => item.galgame.id === id && item.note === 'again in winter'))
    decodeAny(await requestAsReader(`DELETE ${path}/galgames/${id}`), 204)
  })

  it('shows the statistics of a game without a token', async () => {
    await waitForTotals(service.db)
    const { data } = decode(
      envelope(
        object({
          average: nullable(numberValue),
          rated_count: integerValue,
          content_count: integerValue,
          played_count: integerValue,
          total_count: integerValue,
          distribution: list(object({ score: numberValue, count: integerValue })),
          status_counts: object({
            going: integerValue,
            completed: integerValue,
            on_hold: integerValue,
            dropped: integerValue,
            plan: integerValue,
          }),
          dimension_averages: object({
            scenario: nullable(numberValue),
            music: nullable(numberValue),
          }),
        }),
      ),
      await replay(
        service.url,
        `GET /api/v3/galgames/${first(works.galgame)}/rates/statistics HTTP/1.1
        Accept: */*
        User-Agent: python-requests/2.31.0`,
      ),
    )
    assert.equal(data.status_counts.plan, 1)
  })

  it('shows a rating wall without a token: keywords and statistics, including adult games', async () => {
    const [adult = 0] = (await sampleWorks(service.db, true)).galgame
    for (const rate of [8.5, 9]) {
      const { token: by } = await signIn(service, { scope: 'status:write' })
      const body = { status: 'COMPLETED', rate, rate_content: `melancholy ${rate}` }
      await sendApiRequest(service.url, {
        method: 'PUT',
        token: by,
        path: `/v3/user/me/rates/galgames/${adult}`,
        body,
      })
    }
    await waitForTotals(service.db)
    for (const id of [first(works.galgame), adult]) {
      const wall = (part: string) =>
        replay(
          service.url,
          `GET /api/v3/galgames/${id}/rates/${part} HTTP/1.1
          Accept: application/json
          User-Agent: NekoBox/1.0`,
        )
      const words = decode(
        envelope(
          object({
            items: list(object({ keyword: stringValue, count: integerValue })),
            keywords: list(object({ word: stringValue, count: integerValue })),
          }),
        ),
        await wall('keywords'),
      ).data
      assert.deepEqual(
        words.keywords.map(({ word, count }) => ({ keyword: word, count })),
        words.items,
      )
      if (id === adult) assert.deepEqual(words.keywords, [{ word: 'melancholy', count: 2 }])
      const { distribution, rated_count } = decode(
        envelope(
          object({
            average: nullable(numberValue),
            rated_count: integerValue,
            distribution: list(object({ score: integerValue, count: integerValue })),
          }),
        ),
        await wall('statistics'),
      ).data
      assert.equal(
        distribution.reduce((sum, { count }) => sum + count, 0),
        rated_count,
      )
    }
  })

  it('follows the catalog from the beginning, and ignores unknown types', async () => {
    await numberAllChanges(service.db)
    const names = [
      'GALGAME',
      'LIGHT_NOVEL',
      'MANGA',
      'PERSON',
      'PRODUCER',
      'CHARACTER',
      'TAG',
    ] as const
    const known = enumOf(...names, 'LIGHT_NOVEL_VOLUME', 'MANGA_VOLUME')
    const held = new Map<string, Set<number>>()
    for (let since = 0, more = true; more;) {
      const { data } = decode(
        envelope(
          object({
            items: list(
              object({
                id: integerValue,
                kind: enumOf('UPSERT', 'DELETE', 'MERGE'),
                resource_type: known,
                resource_id: integerValue,
                merged_to_id: nullable(integerValue),
                created_at: timestamp,
              }),
            ),
            latest_id: integerValue,
            has_more: booleanValue,
          }),
        ),
        await asApp(`GET /api/v3/open/catalog/changes?since=${since}&limit=500`),
      )
      for (const { kind, resource_type, resource_id } of data.items) {
        const ids = held.get(resource_type) ?? held.set(resource_type, new Set()).get(resource_type)
        if (kind === 'UPSERT') ids?.add(resource_id)
        else ids?.delete(resource_id)
      }
      since = data.items.at(-1)?.id ?? since
      more = data.has_more
    }
    const nsfw = await sampleWorks(service.db, true)
    assert.deepEqual(
      [...(held.get('GALGAME') ?? [])].toSorted((a, b) => a - b),
      [...works.galgame, ...nsfw.galgame].toSorted((a, b) => a - b),
    )
    for (const name of [...names, 'LIGHT_NOVEL_VOLUME', 'MANGA_VOLUME'])
      assert.ok((held.get(name)?.size ?? 0) > 0, `no change to ${name}`)
  })

  it('slows down according to the rate-limit headers, and revalidates with ETags', async () => {
    const path = `GET /v3/galgames/${first(works.galgame)}`
    const { headers } = await asApp(path)
    for (const name of ['x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset'])
      assert.match(headers[name] ?? '', /^\d+$/, name)
    const { status, body } = await asApp(path, `If-None-Match: ${headers['etag']}`)
    assert.deepEqual({ status, body }, { status: 304, body: undefined })
  })

  const decodeAny = (response: RecordedResponse, expected = 200) =>
    decode((value) => value, response, expected)
})
