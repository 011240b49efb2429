import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { sql } from 'kysely'
import { credit, GAME, MANGA_ROW, relation, NOVEL } from '#test/bangumi-rows.ts'
import { describeOnDatabase } from '#test/databases.ts'
import { redirectTo, startDumpServer, serveText, type DumpServer } from '#test/dump-server.ts'
import { temporaryDumps } from '#test/dumps.ts'
import { startService, type TestService } from '#test/service.ts'
import { importSource } from '../import-source.ts'
import { openSource } from '../sources.ts'
import { fetchPictures } from './fetch-pictures.ts'
import { savePicture } from '../../sources/bangumi/pictures/queries.ts'

const IMAGES = 'https://lain.bgm.tv'
const lines = (...rows: object[]) => rows.map((row) => `${JSON.stringify(row)}\n`).join('')

const SUBJECTS = [
  { ...GAME, id: 1, name: '遊', nsfw: true },
  { ...NOVEL, id: 2, name: '物語', series: true },
  { ...NOVEL, id: 3, name: '物語 (1)' },
  { ...MANGA_ROW, id: 4, name: '漫', series: true },
  { ...MANGA_ROW, id: 5, name: '漫 (1)' },
]

describeOnDatabase('pictures from Bangumi', (engine) => {
  let service: TestService
  let server: DumpServer
  let token: string
  let dependedOnCatalog: boolean
  const dumps = temporaryDumps()
  before(async () => {
    service = await startService({
      engine,
      content: 'empty',
      environment: { API_PICTURES: 'source' },
    })
    token = await service.token('catalog:full')
    server = await startDumpServer()
    await importWeek('2020-01-01')
    assert.equal(dependedOnCatalog, false)
  })
  after(async () => {
    await server.close()
    await service.close()
  })

  async function importWeek(date: string) {
    const folder = dumps.folderOf({
      'subject.jsonlines': lines(...SUBJECTS.map((row) => ({ ...row, date }))),
      'person.jsonlines': lines(
        { id: 8, name: '甲', type: 1, infobox: '' },
        { id: 9, name: '社', type: 2, infobox: '' },
      ),
      'character.jsonlines': lines({ id: 7, name: '渚', infobox: '' }),
      'subject-relations.jsonlines': lines(
        relation(2, 1003, 3),
        relation(4, 1003, 5),
        relation(1, 4003, 1),
      ),
      'subject-persons.jsonlines': lines(credit(1, 8, 1004)),
      'subject-characters.jsonlines': lines({ subject_id: 1, character_id: 7, type: 1, order: 0 }),
      'person-characters.jsonlines': lines({
        subject_id: 1,
        character_id: 7,
        person_id: 8,
        type: 0,
      }),
    })
    const opened = await openSource('bangumi', folder)
    const { kinds } = await importSource(service.db, 'bangumi', opened.records, {
      isWhole: opened.isWhole,
    })
    await opened.close()
    dependedOnCatalog = opened.dependencies.includesCatalog
    return Object.fromEntries(
      kinds.map(({ kind, changed, withdrawn }) => [kind, changed + withdrawn]),
    )
  }

  /**
   * Runs the command with a simulated clock.
   *
   * @returns the summary or error, and the delays in seconds
   */
  async function run(requestsPerMinute = 60) {
    const waits: number[] = []
    let time = 0
    const summary = fetchPictures(service.db, {
      apiUrl: server.url,
      requestsPerMinute,
      userAgent: 'mokuroku/test',
      timeoutMs: 10_000,
      now: () => time,
      wait: async (milliseconds) => {
        time += milliseconds
        waits.push(milliseconds / 1000)
      },
    })
    return { waits, ...(await summary.catch((error: Error) => ({ error: error.message }))) }
  }
  const summaryOf = async () => {
    const { waits: _waits, ...summary } = await run()
    return summary
  }

  async function dataOf(path: string): Promise<Record<string, unknown>[]> {
    const response = await service.get(`/api/v3/open/${path}`, token)
    // as: §2.1
    const { data } = (await response.json()) as {
      data: Record<string, unknown> | Record<string, unknown>[]
    }
    return [data].flat()
  }
  const picture = (path: string, sexual = 0) => ({
    url: `${IMAGES}/pic/${path}`,
    width: null,
    height: null,
    sexual,
    violence: 0,
  })
  const cover = (path: string, sexual = 0) => [{ ...picture(path, sexual), votes: 0 }]
  const person = (id: number, url: unknown) =>
    serveText(JSON.stringify({ id, images: url && { large: url } }))

  it('are requested at one per second, and only once each, whatever the result', async () => {
    server.at(
      '/v0/subjects/1/image?type=large',
      redirectTo(`${IMAGES}/r/800/pic/cover/l/aa/bb/1_x.jpg`),
    )
    server.at('/v0/subjects/2/image?type=large', redirectTo(`${IMAGES}/pic/cover/l/aa/bb/2_x.jpg`))
    server.at(
      '/v0/subjects/4/image?type=large',
      (_request, response) => void response.writeHead(403).end(),
    )
    const { waits, ...broken } = await run()
    assert.match(
      'error' in broken ? broken.error : '',
      /subjects\/4\/image\?type=large returned status 403, which is not a picture\.$/,
    )
    assert.deepEqual(waits, [1, 1])
    assert.deepEqual(server.requests.splice(0), [
      '302 /v0/subjects/1/image?type=large',
      '302 /v0/subjects/2/image?type=large',
      '403 /v0/subjects/4/image?type=large',
    ])
    const [game] = await dataOf('galgames/1')
    assert.deepEqual(game?.['covers'], [
      { ...cover('cover/l/aa/bb/1_x.jpg', 2)[0], kind: null, language: null },
    ])
  })

  it('are fetched for the remaining entries of every kind after a run was interrupted', async () => {
    server.at('/v0/subjects/3/image?type=large', redirectTo(`${IMAGES}/pic/cover/l/aa/bb/3_x.jpg`))
    server.at('/v0/subjects/4/image?type=large', redirectTo(`${IMAGES}/img/no_icon_subject.png`))
    server.at('/v0/subjects/5/image?type=large', redirectTo(`${IMAGES}/pic/cover/l/aa/bb/5_x.jpg`))
    server.at('/v0/persons/8', person(8, `${IMAGES}/pic/crt/l/cc/8_prsn.jpg?r=1597241889`))
    server.at('/v0/persons/9', person(9, `${IMAGES}/pic/crt/l/cc/9_prsn.jpg`))
    server.at('/v0/characters/7', person(7, null))
    assert.deepEqual(await summaryOf(), { requested: 6, found: 4, refused: [] })
    assert.ok(!server.requests.some((request) => /subjects\/[12]\//.test(request)))
    assert.deepEqual(
      (await dataOf('light-novels/2/volumes'))[0]?.['covers'],
      cover('cover/l/aa/bb/3_x.jpg'),
    )
    assert.deepEqual(
      (await dataOf('mangas/3/volumes'))[0]?.['cover'],
      picture('cover/l/aa/bb/5_x.jpg'),
    )
    assert.deepEqual(
      (await dataOf('people/1'))[0]?.['image'],
      picture('crt/l/cc/8_prsn.jpg?r=1597241889'),
    )
    assert.deepEqual((await dataOf('producers/1'))[0]?.['logo'], picture('crt/l/cc/9_prsn.jpg'))
    assert.deepEqual((await dataOf('characters/1'))[0]?.['image'], null)
    server.requests.splice(0)
    assert.deepEqual(
      [await summaryOf(), server.requests],
      [{ requested: 0, found: 0, refused: [] }, []],
    )
  })

  it('are kept by later imports, which update only the records that the dump changed', async () => {
    const repeated = await importWeek('2020-01-01')
    // The grade of a volume's picture depends on its work.
    assert.equal(dependedOnCatalog, true)
    assert.deepEqual(repeated, {
      galgame: 0,
      light_novel: 0,
      light_novel_volume: 0,
      manga: 0,
      manga_volume: 0,
      person: 0,
      producer: 0,
      character: 0,
    })
    assert.equal((await importWeek('2021-02-03'))['light_novel_volume'], 1)
    assert.deepEqual(
      (await dataOf('light-novels/2'))[0]?.['covers'],
      cover('cover/l/aa/bb/2_x.jpg'),
    )
    assert.deepEqual(
      (await dataOf('light-novels/2/volumes'))[0]?.['covers'],
      cover('cover/l/aa/bb/3_x.jpg'),
    )
    assert.deepEqual(
      (await dataOf('people/1'))[0]?.['image'],
      picture('crt/l/cc/8_prsn.jpg?r=1597241889'),
    )
  })

  describe('a response', () => {
    const repeated = async () => {
      await sql`delete from bangumi_pictures where kind = 'character'`.execute(service.db)
      server.requests.splice(0)
    }

    it('delays the next attempt for as long as the server requests', async () => {
      await repeated()
      let requests = 0
      server.at('/v0/characters/7', (_request, response) => {
        requests += 1
        if (requests === 1) return void response.writeHead(429, { 'retry-after': '120' }).end()
        if (requests === 2) return void response.writeHead(503).end()
        response.writeHead(200).end(JSON.stringify({ images: { large: '' } }))
      })
      const { waits, ...summary } = await run(30)
      assert.deepEqual([summary, waits], [{ requested: 1, found: 0, refused: [] }, [120, 60]])
    })

    it('ends the run if every attempt fails or the required pause is too long, and the next run repeats the request', async () => {
      await repeated()
      server.at('/v0/characters/7', (_request, response) => void response.writeHead(502).end())
      const { waits, ...ended } = await run()
      assert.deepEqual(waits, [30, 60, 120, 240])
      assert.match(
        'error' in ended ? ended.error : '',
        /characters\/7 returned status 502\. Gave up after 5 attempts\. Run it again later/,
      )
      server.at(
        '/v0/characters/7',
        (_request, response) => void response.writeHead(429, { 'retry-after': '3600' }).end(),
      )
      const patient = await summaryOf()
      assert.match(
        'error' in patient ? patient.error : '',
        /returned status 429\. The server requires a pause of 3600 s/,
      )
    })

    for (const url of [
      'http://lain.bgm.tv/pic/crt/l/a/7.jpg',
      'https://evil.example/pic/crt/l/a/7.jpg',
      'https://lain.bgm.tv.evil.example/pic/crt/l/a/7.jpg',
      'https://lain.bgm.tv/pic/crt/l/../../x.jpg',
      'https://lain.bgm.tv/pic/cover/l/a/7.jpg',
    ])
      it(`is refused if its picture URL has an unexpected scheme, host or path: ${url}`, async () => {
        await repeated()
        server.at('/v0/characters/7', person(7, url))
        assert.deepEqual(await summaryOf(), { requested: 1, found: 0, refused: [url] })
        assert.deepEqual((await dataOf('characters/1'))[0]?.['image'], null)
      })

    it('ends the run if it is too large', async () => {
      await repeated()
      server.at('/v0/characters/7', serveText(`{"images":"${'x'.repeat(2 ** 20)}"}`))
      const ended = await summaryOf()
      assert.match(
        'error' in ended ? ended.error : '',
        /characters\/7 returned more than 1048576 bytes\.$/,
      )
    })

    it('ends the run if it is still not JSON after all attempts, and is not quoted in the error', async () => {
      await repeated()
      server.at('/v0/characters/7', serveText('<\u001B]0;owned\u0007'))
      const ended = await summaryOf()
      assert.match(
        'error' in ended ? ended.error : '',
        /characters\/7 returned invalid JSON\. Gave up after 5 attempts/,
      )
    })

    it('is applied by the next run if the run that saved it was killed', async () => {
      await repeated()
      await savePicture(service.db, { kind: 'character', id: 7 }, 'dd/7_crt.jpg')
      assert.deepEqual(await summaryOf(), { requested: 0, found: 0, refused: [] })
      // Read from the database, because the service may cache its response for a second.
      const { rows } = await sql<{ image: object }>`select image from characters`.execute(
        service.db,
      )
      assert.deepEqual(rows, [{ image: picture('crt/l/dd/7_crt.jpg') }])
    })
  })
})
