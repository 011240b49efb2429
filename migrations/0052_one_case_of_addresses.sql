-- One lower case for email addresses, in the database and in the program: that of ASCII letters (src/accounts/email-address.ts).
create function fold_email(email text) returns text language sql immutable parallel safe
  return lower(email collate "C");

-- In a Turkish, Azerbaijani or Lithuanian database, addresses that are equal now may have been different before.
do $$
declare
  shared text;
begin
  select string_agg(ids, '; ') into shared
  from (
    select string_agg(id::text, ' and ' order by id) as ids
    from accounts group by fold_email(email) having count(*) > 1 order by min(id)
  ) same;
  if shared is not null then
    raise exception 'Several accounts have the same email address except for case: %. With the previous version of mokuroku, delete all but one of each group (mokuroku account delete ID), then migrate again.', shared
      using errcode = 'unique_violation';
  end if;
end
$$;

drop index accounts_email_key;
create unique index accounts_email_key on accounts (fold_email(email));
