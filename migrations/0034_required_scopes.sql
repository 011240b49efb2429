-- Scopes that an app does not work without, as its developer says: readers who allow the app cannot leave them out.
alter table apps
  add column required_scopes jsonb not null default '[]' check (jsonb_typeof(required_scopes) = 'array');
