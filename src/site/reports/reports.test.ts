import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { createUser, signedInAs, signedInBrowser, type TestUser } from '#test/authorization.ts'
import type { PlainBrowser } from '#test/browser.ts'
import { describeOnDatabase } from '#test/databases.ts'
import { startService, type TestService } from '#test/service.ts'
import { first } from '#test/sample-works.ts'
import { savePreferences } from '../../accounts/preferences/queries.ts'
import { queryText } from '../../db/query.ts'
import { hideSubject } from '../../moderation/hide-queries.ts'
import { createReport } from '../../moderation/report-queries.ts'
import { findSubject, isHideable, type SubjectReference } from '../../moderation/subject-queries.ts'
import { saveRating } from '../../ratings/own/queries.ts'

describeOnDatabase('reported content', (engine) => {
  let service: TestService
  let author: TestUser
  let reporter: TestUser
  let own: PlainBrowser
  const ids = { game: 0, adult: 0 }
  const titles = { english: '', translated: '', adult: '' }
  before(async () => {
    service = await startService({ engine, environment: { IMAGES: 'off' } })
    const { db } = service
    const titled = (nsfw: boolean) =>
      queryText<{ id: number; en_title: string; trans_title: string }>(
        db,
        `select game.id, game.en_title, game.trans_title
         from galgames game join works work on work.id = game.id
         where work.nsfw = $1 and (work.nsfw or game.trans_title <> '' and game.trans_title <> game.origin_title)
         order by game.id
         limit 1`,
        [nsfw],
      )
    const [game, adult] = [first(await titled(false)), first(await titled(true))]
    ids.game = game.id
    ids.adult = adult.id
    titles.english = game.en_title
    titles.translated = game.trans_title
    titles.adult = adult.en_title
    ;[author, reporter] = await Promise.all([
      createUser(service, 'Author <b>'),
      createUser(service, 'Reporter'),
    ])
    await savePreferences(db, reporter.id, true)
    await queryText(
      db,
      `with taken as (insert into profile_names (folded, name, account_id) values ('quiet', 'quiet', $1))
       insert into public_profiles (account_id, is_shown, name) values ($1, true, 'quiet')`,
      [author.id],
    )
    await queryText(
      db,
      `update accounts set picture = 'https://a.example/p.png' where id = any($1)`,
      [[author.id, reporter.id]],
    )
    const reviewOf = async (workId: number): Promise<SubjectReference> => {
      const key = { accountId: author.id, kind: 'galgame', workId } as const
      // as: the result of saveRating
      const { id } = JSON.parse(await saveRating(db, key, null, { rate_content: 'Nasty.' })) as {
        id: number
      }
      return { kind: 'REVIEW', id }
    }
    for (const named of [
      await reviewOf(ids.game),
      await reviewOf(ids.adult),
      { kind: 'PROFILE', id: author.id } as const,
    ]) {
      const created = await createReport(db, reporter.id, { named, reason: 'SPAM', note: '' })
      assert.equal(created.outcome, 'created')
    }
    own = await signedInBrowser(service, reporter)
  })
  after(() => service.close())

  /** Link texts and their languages, keyed by path of the reported content. */
  const linksIn = (text: string) =>
    [...text.matchAll(/<a href="(\/[^"]*)"><bdi(?: lang="([^"]*)")?>([^<]*)<\/bdi><\/a>/g)].map(
      ([, href = '', , name = '']) => `${href.replace(/(?<=\/reviews\/)\d+$/, 'N')} ${name}`,
    )
  const [game, adult] = [
    () => `/galgames/${ids.game}/reviews/N`,
    () => `/galgames/${ids.adult}/reviews/N`,
  ]
  const escaped = (text: string) =>
    text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll("'", '&#39;')
  const PROFILE = '/u/quiet Author &lt;b&gt;'

  it('is listed with its title and time in the viewer’s language', async () => {
    const page = await own.get('/reports')
    assert.deepEqual(linksIn(page.text), [
      PROFILE,
      `${adult()} ${escaped(titles.adult)}`,
      `${game()} ${escaped(titles.english)}`,
    ])
    assert.equal(
      page.text.match(/<td data-label="Date"><time datetime="[^"]+Z" data-local>[^<]*\d\d:\d\d/g)
        ?.length,
      3,
    )
    const chinese = await own.get('/reports?ui_locales=zh-Hans')
    assert.ok(linksIn(chinese.text).includes(`${game()} ${escaped(titles.translated)}`))
  })

  it('is listed at the desk by title, or by id if it is an adult work and the viewer hides adult content', async () => {
    const { id, browser: desk } = await signedInAs(service, 'MODERATOR')
    const { text } = await desk.get('/desk')
    assert.deepEqual(
      linksIn(text).toSorted(),
      [
        `${adult()} Galgame ${ids.adult}`,
        `${game()} ${escaped(titles.english)}`,
        PROFILE,
      ].toSorted(),
    )
    assert.ok(!text.includes(escaped(titles.adult)))
    const [, report = ''] = /href="(\/desk\/reports\/\d+)"/.exec(text) ?? []
    assert.equal(linksIn((await desk.get(report)).text).length, 1)
    await savePreferences(service.db, id, true)
    assert.ok(
      linksIn((await desk.get('/desk')).text).includes(`${adult()} ${escaped(titles.adult)}`),
    )
  })

  it('is still identified to its owner while hidden, and links to the desk only for users with a role', async () => {
    const hide = async (named: SubjectReference) => {
      const subject = await findSubject(service.db, named)
      assert.ok(subject && isHideable(subject))
      await hideSubject(service.db, subject, { reason: 'SPAM', note: 'Please.' }, {})
    }
    await createReport(service.db, author.id, {
      named: { kind: 'PICTURE', type: 'profile', id: reporter.id },
      reason: 'SPAM',
      note: '',
    })
    const authorBrowser = await signedInBrowser(service, author)
    const { text } = await authorBrowser.get('/reports')
    assert.match(text, /Picture · a user without a public profile</)
    assert.doesNotMatch(text, /href="\/desk/)
    await hide({ kind: 'PICTURE', type: 'profile', id: reporter.id })
    const mine = await own.get('/reports')
    assert.match(
      mine.text,
      /Picture · <a href="\/account\/profile"><bdi>Reporter<\/bdi><\/a><\/h3>/,
    )
    assert.match(
      mine.text,
      /<strong>Spam or advertising<\/strong>, <time datetime="[^"]+Z" data-local>/,
    )
    // A profile that is no longer published has no name.
    await hide({ kind: 'PROFILE', id: author.id })
    assert.ok(linksIn((await own.get('/reports')).text).includes('/u/quiet quiet'))
  })

  it('can be incorrect data of an entry, which moderators correct or dismiss but cannot hide', async () => {
    const reader = await signedInBrowser(service, await createUser(service, 'Careful'))
    const entry = `/galgames/${ids.game}`
    const link = `/report?entry=galgames/${ids.game}`
    for (const path of [entry, '/people/1'])
      assert.match(
        (await reader.get(path)).text,
        new RegExp(
          `<details class="drop entry-menu">.*href="/report\\?entry=${path.slice(1)}"`,
          's',
        ),
      )
    const empty = await reader.press(await reader.get(link), '/report', { note: ' ' })
    assert.equal(empty.status, 422)
    assert.match(
      empty.text,
      /aria-describedby="fault"[^>]*>\s*<\/textarea>.*Describe what is wrong/s,
    )
    assert.doesNotMatch(empty.text, /name="reason"/)
    const sent = await reader.press(empty, '/report', { note: 'It came out in 2003.' })
    assert.match(sent.text, /Entry data · <a href="\/galgames\/\d+">.*Pending/s)
    assert.equal((await reader.get('/report?entry=galgames/987654321')).status, 404)
    // Another error of the same entry.
    await reader.press(await reader.get(link), '/report', { note: 'The title has a typo.' })
    const full = await reader.press(await reader.get(link), '/report', { note: 'x'.repeat(1_990) })
    assert.equal(full.status, 429)

    const { browser: desk } = await signedInAs(service, 'MODERATOR')
    const [, path = ''] =
      /href="(\/desk\/reports\/\d+)">Entry data</.exec((await desk.get('/desk')).text) ?? []
    const page = await desk.get(path)
    assert.match(page.text, /It came out in 2003\.\s+The title has a typo\./)
    assert.ok(page.forms.every(({ action }) => !action.endsWith('/hide')))
    const { _csrf = '', _owner = '' } = page.forms.at(-1)?.fields ?? {}
    const hidden = await desk.post(`${path}/hide`, { _csrf, _owner, reason: 'SPAM', note: 'x' })
    assert.equal(hidden.status, 404)
    const later = await signedInBrowser(service, await createUser(service, 'Late'))
    await later.press(await later.get(link), '/report', { note: 'It has a sequel.' })
    const corrected = await desk.press(page, '/correct', { note: 'It did.' })
    assert.match((await reader.get('/reports')).text, /data-label="Status">Corrected</)
    assert.match(
      (await later.get('/reports')).text,
      /data-label="Status">Pending</,
      'the moderator had not seen this report',
    )
    const undo = corrected.forms.find(({ fields }) => fields['undo'] === 'yes')
    await desk.submit(corrected, {}, undo)
    assert.match((await reader.get('/reports')).text, /data-label="Status">Pending</)
    await desk.press(await desk.get(path), '/dismiss', { note: 'No.' })
    assert.match((await reader.get('/reports')).text, /data-label="Status">No action taken</)
  })
})
