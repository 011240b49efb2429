import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { describeOnDatabase } from '#test/databases.ts'
import { signIn, type SignedInUser } from '#test/user-api.ts'
import type { TestService } from '#test/service.ts'
import { shareService } from '#test/shared-service.ts'
import { first, sampleWorks } from '#test/sample-works.ts'
import { refuseFaults } from '../../http/wire/requests/validation.ts'

type Refused = [what: string, body: object | string, fields: string[]]

/** Invalid bodies for a light novel, with the fields that the error names. */
const REFUSED: Refused[] = [
  ['a score below 1', { rate: 0.9 }, ['rate']],
  ['a score above 10', { rate: 10.1 }, ['rate']],
  ['zero as “no score”', { rate: 0 }, ['rate']],
  ['two decimals', { rate: 8.55, rate_plot: 1.01 }, ['rate', 'rate_plot']],
  ['a score as text', { rate: '8' }, ['rate']],
  ['a score as a list', { rate: [8] }, ['rate']],
  ['a score that is true', { rate_writing: true }, ['rate_writing']],
  ['a number beyond all numbers', '{"rate": 1e999}', ['rate']],
  ['a review that is null', { rate_content: null }, ['rate_content']],
  ['a review that is a number', { rate_content: 5 }, ['rate_content']],
  ['a review of 5,001 characters', { rate_content: '漢'.repeat(5_001) }, ['rate_content']],
  ['a NUL', { rate_content: 'a\u0000b' }, ['rate_content']],
  ['half a character', { rate_content: 'a\ud800b' }, ['rate_content']],
  ['a status nobody has heard of', { status: 'READING' }, ['status']],
  ['a status in small letters', { status: 'going' }, ['status']],
  ['privacy as text', { status_private: 'true' }, ['status_private']],
  ['privacy as a number', { status_private: 1 }, ['status_private']],
  ['a spoiler that is null', { is_spoiler: null }, ['is_spoiler']],
  ['half a minute', { time_to_finish_minutes: 0.5 }, ['time_to_finish_minutes']],
  ['less than no time', { time_to_finish_minutes: -1 }, ['time_to_finish_minutes']],
  ['more than a year', { time_to_finish_minutes: 525_601 }, ['time_to_finish_minutes']],
  ['a time that is null', { time_to_finish_minutes: null }, ['time_to_finish_minutes']],
  ['a field there is not', { score: 5 }, ['score']],
  ['a galgame’s sub-score', { rate_music: 5 }, ['rate_music']],
  ['another user', { account_id: 2, user_id: 2, sub: '2' }, ['account_id', 'sub', 'user_id']],
  [
    'much at once, each named, and what is good beside it',
    {
      status: 'COMPLETED',
      rate: 11,
      rate_plot: 5.55,
      rate_content: '\u0000',
      is_spoiler: 0,
      extra: {},
    },
    ['extra', 'is_spoiler', 'rate', 'rate_content', 'rate_plot'],
  ],
  ['a list', '[]', ['body']],
  ['a text', '"GOING"', ['body']],
  ['null', 'null', ['body']],
]

const OTHER_KINDS: Record<'galgames' | 'mangas', Refused[]> = {
  galgames: [['a light novel’s sub-score', { rate_plot: 5 }, ['rate_plot']]],
  mangas: [
    ['a sub-score', { rate_character: 5 }, ['rate_character']],
    ['a time to finish', { time_to_finish_minutes: 5 }, ['time_to_finish_minutes']],
  ],
}

/** Unreadable bodies, each with the expected status. */
const UNREADABLE: [body: string | Uint8Array, type: string, status: number][] = [
  ['{', 'application/json', 400],
  ['', 'application/json', 400],
  [Buffer.from('{"rate_content": "\u00e9"}', 'latin1'), 'application/json', 400],
  ['{"__proto__": {"rate": 1}}', 'application/json', 400],
  [`{"rate_content": "${'x'.repeat(70_000)}"}`, 'application/json', 413],
  ['rate=5', 'application/x-www-form-urlencoded', 415],
  ['{}', 'text/plain', 415],
]

describeOnDatabase('a rating PUT', (engine) => {
  let service: TestService
  let me: SignedInUser
  let paths: Record<'light-novels' | 'galgames' | 'mangas', string>
  before(async () => {
    service = await shareService(engine)
    me = await signIn(service)
    const works = await sampleWorks(service.db)
    paths = {
      'light-novels': `/v3/user/me/rates/light-novels/${first(works.light_novel)}`,
      galgames: `/v3/user/me/rates/galgames/${first(works.galgame)}`,
      mangas: `/v3/user/me/rates/mangas/${first(works.manga)}`,
    }
  })
  after(() => service.close())

  const assertAllRejected = async (path: string, refused: Refused[]) => {
    const before = (await me.send('GET', path)).text.replace(/"request_id".*/, '')
    for (const [name, body, fields] of refused) {
      const response = await me.send('PUT', path, body)
      assert.deepEqual([response.status, response.code], [422, 'COMMON_VALIDATION_FAILED'], name)
      assert.deepEqual(response.fields.toSorted(), fields, name)
      assert.equal((await me.send('GET', path)).text.replace(/"request_id".*/, ''), before, name)
    }
  }

  it('returns 422 with every invalid field, and creates no rating', async () => {
    await assertAllRejected(paths['light-novels'], REFUSED)
    for (const kind of ['galgames', 'mangas'] as const)
      await assertAllRejected(paths[kind], OTHER_KINDS[kind])
  })

  it('leaves an existing rating unchanged if the body is invalid', async () => {
    for (const path of Object.values(paths)) await me.send('PUT', path, { rate: 4, status: 'PLAN' })
    await assertAllRejected(paths['light-novels'], REFUSED)
    for (const kind of ['galgames', 'mangas'] as const)
      await assertAllRejected(paths[kind], OTHER_KINDS[kind])
  })

  it('returns 400, 413 or 415 for an unreadable body', async () => {
    for (const [body, type, status] of UNREADABLE) {
      const response = await fetch(service.url + paths['light-novels'], {
        method: 'PUT',
        headers: { authorization: `Bearer ${me.token}`, 'content-type': type },
        body,
      })
      assert.equal(response.status, status, `${type} ${body.toString().slice(0, 30)}`)
    }
  })

  it('is validated in time linear in the number of invalid fields', async () => {
    let read = 0
    const faults = Array.from({ length: 1_000 }, (_, index) => ({
      get field() {
        read += 1
        return `field_${index}`
      },
      code: 'schema.unknown_field' as const,
    }))
    assert.throws(() => refuseFaults(faults))
    assert.ok(read < 10 * faults.length, `${read} reads of fields`)
  })
})
