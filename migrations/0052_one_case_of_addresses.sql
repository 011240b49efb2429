-- One lower case for email addresses, in the database and in the program: that of ASCII letters (src/accounts/email-address.ts).
create function fold_email(email text) returns text language sql immutable parallel safe
  return lower(email collate "C");

drop index accounts_email_key;
create unique index accounts_email_key on accounts (fold_email(email));
