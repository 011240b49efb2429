/** Changes that the next version might make: a new table, and a new column in every table. */
export const NEXT_MIGRATION = `
  do $$
  declare
    name text;
  begin
    for name in select tablename from pg_tables where schemaname = 'public' loop
      execute format('alter table %I add column next text default ''none''', name);
    end loop;
  end $$;
  create table next (id bigint primary key)`
