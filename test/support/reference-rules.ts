import { sql, type RawBuilder } from 'kysely'

/** Rules for the reference tables: name, and a query for the number of rows that differ from their originals. */
export const REFERENCE_RULES: Record<string, RawBuilder<{ wrong: number }>> = {
  'account references with a wrong hidden flag': sql`
    select count(*) as wrong
    from account_refs reference join accounts account using (id)
    where reference.hidden <> (account.banned_at is not null or account.deletion_requested_at is not null)`,
  'work references with a wrong withdrawn flag': sql`
    select count(*) as wrong
    from work_refs reference
    where reference.withdrawn <> exists (select from withdrawn_works work where work.id = reference.id)`,
  'accounts without a reference, and references without an account': sql`
    select count(*) as wrong
    from accounts account full join account_refs reference using (id)
    where account.id is null or reference.id is null`,
  'works without a reference, and references without a work': sql`
    select count(*) as wrong
    from works work full join work_refs reference using (id)
    where work.id is null or reference.id is null or work.kind <> reference.kind`,
}
