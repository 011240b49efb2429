import assert from 'node:assert/strict'
import { it } from 'node:test'
import { sql } from 'kysely'
import { addAccount } from '#test/accounts.ts'
import { describeOnDatabase } from '#test/databases.ts'
import { openTestDatabase } from '#test/open-database.ts'
import { writeRating } from '#test/ratings.ts'
import { inTransaction } from '../../db/transaction.ts'
import { hashToken } from '../../kernel/opaque-tokens.ts'
import { savePreferences } from '../preferences/queries.ts'
import { admitAccount } from '../sign-up/admit-account.ts'
import { approveAccount } from '../sign-up/approval-queries.ts'
import { createInvitation } from '../sign-up/invitation-queries.ts'
import { exportAccount } from './export.ts'

describeOnDatabase('an account export', (engine) => {
  it('contains the user’s public and private collections, items and ratings, but no data of other users', async () => {
    const { db, remove } = await openTestDatabase(engine)
    try {
      const [id = 0, other = 0] = await Promise.all(
        ['one', 'two'].map((name) =>
          addAccount(db, { email: `${name}@example.org`, name, password: 'correct horse' }),
        ),
      )
      for (const owner of [id, other]) {
        await sql`insert into collections (account_id, name, description, is_private)
          values (${owner}, ${`Of ${owner}`}, 'Text', true)`.execute(db)
        await sql`insert into collection_items (account_id, collection_id, work_id, note, last_put)
          select account_id, id, 1, ${`Note of ${owner}`}, 'ADDED' from collections where account_id = ${owner} and not is_default`.execute(
          db,
        )
        await writeRating(db, owner, { id: 1, kind: 'galgame' }, { status: null, rate: 8 })
      }
      await savePreferences(db, id, true)
      await sql`insert into public_profiles (account_id, is_shown, name) values (${id}, true, 'mine'), (${other}, true, 'theirs')`.execute(
        db,
      )
      await sql`insert into profile_names (folded, name, account_id) values ('mine', 'mine', ${id}), ('former', 'former', ${id})`.execute(
        db,
      )
      await sql`insert into deleted_collections (account_id, id, collection, items) values (${id}, 1, '{"name": "Gone"}', '[]')`.execute(
        db,
      )
      const data = await exportAccount(db, id)
      assert.ok(data)
      assert.equal(data.preferences.shows_nsfw, true)
      assert.ok(data.preferences.of_age_stated_at instanceof Date)
      // as: the test recorded these values
      const profile = data.public_profile as Record<string, unknown>
      assert.deepEqual(
        [profile['name'], profile['names'], data.deleted_collections?.length],
        ['mine', ['former', 'mine'], 1],
      )
      assert.ok(!JSON.stringify(data).includes('theirs'))
      const [first, second, ...others] = data.collections.toSorted(
        (a, b) => Number(b.is_default) - Number(a.is_default),
      )
      assert.deepEqual(others, [])
      assert.equal(first?.name, 'Favourites')
      assert.deepEqual(
        [second?.name, second?.description, second?.is_private, second?.is_default],
        [`Of ${id}`, 'Text', true, false],
      )
      const [item, ...more] = data.collection_items
      assert.deepEqual(more, [])
      assert.deepEqual(
        [item?.collection_id, item?.work_id, item?.note],
        [second?.id, 1, `Note of ${id}`],
      )
      assert.ok(item?.added_at instanceof Date && second?.created_at instanceof Date)
      assert.ok(!JSON.stringify(data).includes(`of ${other}`))
      // as: the test recorded these values
      const [rating] = data.ratings as { work_type: string; said: Record<string, unknown> }[]
      assert.deepEqual(
        [rating?.work_type, rating?.said['status'], rating?.said['rate']],
        ['GALGAME', null, 8],
      )
      const [change, ...later] = data.rating_changes as { work_type: string; action: string }[]
      assert.deepEqual([change?.work_type, change?.action, later], ['GALGAME', 'CREATED', []])
    } finally {
      await remove()
    }
  })

  it('contains the user’s invitation and approval request, but not the invitation’s code or note', async () => {
    const { db, remove } = await openTestDatabase(engine)
    const signUp = async (email: string, mode: 'invitation' | 'approval', invitation?: number) => {
      const id = await addAccount(db, { email, name: 'Ann', password: 'correct horse' })
      const admission = { mode, invitation: invitation ?? null, language: 'en' } as const
      await inTransaction(db, (trx) => admitAccount(trx, id, admission))
      return id
    }
    try {
      const note = 'for the reading circle'
      const { id: invitation, code } = await createInvitation(db, { note, uses: 1, days: 1 })
      const invited = await signUp('ann@example.org', 'invitation', invitation)
      const data = await exportAccount(db, invited)
      assert.deepEqual(data?.sign_up, {
        invitation_id: invitation,
        invitation_used_at: data?.account.created_at,
        approval_requested_at: null,
      })
      const text = JSON.stringify(data)
      assert.ok(!text.includes(code) && !text.includes(hashToken(code)) && !text.includes(note))

      const approved = await signUp('bob@example.org', 'approval')
      await approveAccount(db, approved)
      const later = await exportAccount(db, approved)
      assert.equal(later?.sign_up?.['invitation_id'], null)
      assert.ok(later?.sign_up?.['approval_requested_at'] instanceof Date)
    } finally {
      await remove()
    }
  })
})
