import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { sql } from 'kysely'
import { describeOnDatabase } from '#test/databases.ts'
import { openTestDatabase, type OpenTestDatabase } from '#test/open-database.ts'
import { EntryRefusedError } from '../src/curation/merge/entry-refusal.ts'
import { lockUserData } from '../src/curation/merge/lock-user-data.ts'
import { distribute, isDistributed } from '../src/db/sharding/distribute.ts'
import { REFERENCE_TABLES, SHARDED_TABLES } from '../src/db/sharding/sharded-tables.ts'

/**
 * Stand-ins for the functions of Citus, which no package registry has. They reject what Citus rejects, and record what
 * was distributed without moving it.
 */
const STAND_IN = `
  create table pg_dist_partition (logicalrelid regclass primary key, is_reference boolean not null);
  create function refuse_keys_and_triggers(added regclass) returns void language plpgsql as $$
  begin
    if exists (select from pg_trigger where tgrelid = added and not tgisinternal) then
      raise 'cannot distribute relation % because it has triggers', added;
    end if;
    if exists (
      select from pg_constraint
      where contype = 'f' and (conrelid = added and confrelid not in (select logicalrelid from pg_dist_partition)
        or confrelid = added and conrelid not in (select logicalrelid from pg_dist_partition))
    ) then
      raise '% has a foreign key of or to a local table', added;
    end if;
  end $$;
  create function create_reference_table(added regclass) returns void language plpgsql as $$
  begin
    perform refuse_keys_and_triggers(added);
    insert into pg_dist_partition values (added, true);
  end $$;
  create function create_distributed_table(added regclass, key text, colocate_with text default 'default')
  returns void language plpgsql as $$
  begin
    perform refuse_keys_and_triggers(added);
    if exists (
      select from pg_index
      where indrelid = added and indisunique and not exists (
        select from pg_attribute where attrelid = added and attname = key and attnum = any(indkey::smallint[])
      )
    ) then
      raise 'a unique index of % lacks %', added, key;
    end if;
    insert into pg_dist_partition values (added, false);
  end $$;
  create function create_distributed_function(added regprocedure) returns void language sql as ''`

describeOnDatabase('the distribution of user data', (engine) => {
  let opened: OpenTestDatabase
  before(async () => {
    opened = await openTestDatabase(engine, 'empty')
  })
  after(() => opened.remove())

  const keysOf = async () => {
    const { rows } = await sql<{ key: string }>`
      select conname || ' ' || pg_get_constraintdef(oid) as key from pg_constraint where contype = 'f' order by 1`.execute(
      opened.db,
    )
    return rows.map(({ key }) => key)
  }

  it('changes nothing without the extension, and returns the statements to run', async () => {
    const before = await keysOf()
    const { isAvailable, statements } = await distribute(opened.db)
    assert.equal(isAvailable, false)
    assert.ok(statements.includes(`select create_distributed_table('ratings', 'account_id')`))
    assert.deepEqual(await keysOf(), before)
    assert.equal(await isDistributed(opened.db), false)
  })

  it('continues after an interruption at any statement, restores all keys, and then has nothing left to do', async () => {
    const { db } = opened
    await sql.raw(STAND_IN).execute(db)
    const own = /^(account_refs_id_fkey|work_refs_id_kind_fkey) /
    const before = (await keysOf()).filter((key) => !own.test(key))
    for (let runs = 0; ; runs += 1) {
      assert.ok(runs < 200, 'it does not end')
      let left = 5
      const stopped = new Error('stopped')
      try {
        await distribute(db, () => {
          left -= 1
          if (left < 0) throw stopped
        })
        break
      } catch (error) {
        if (error !== stopped) throw error
      }
    }
    assert.deepEqual(await keysOf(), before)
    const { rows } = await sql<{ name: string }>`
      select logicalrelid::text as name from pg_dist_partition order by 1`.execute(db)
    assert.deepEqual(
      rows.map(({ name }) => name),
      [...REFERENCE_TABLES, ...Object.keys(SHARDED_TABLES)].toSorted(),
    )
    assert.deepEqual((await distribute(db)).statements, [])
  })

  it('rejects merges of works with an explanation', async () => {
    assert.equal(await isDistributed(opened.db), true)
    await assert.rejects(
      opened.db.transaction().execute((trx) => lockUserData(trx, [1, 2])),
      (error) => error instanceof EntryRefusedError && error.refusal.code === 'merge.distributed',
    )
  })
})
