-- Apps that are not registered here: their client id is the URL of a document that describes them (decision 0054). A row is
-- written when the first user allows the app.
alter table apps add column document_host text check (document_host ~ '^[a-z0-9.:\[\]-]{1,255}$');
alter table apps drop constraint apps_client_id_check;
alter table apps add constraint apps_client_id_check check (
  case when document_host is null then client_id ~ '^[A-Za-z0-9_-]{1,64}$'
  else client_id ~ '^https://[!-~]+$' and char_length(client_id) <= 512 and account_id is null and client_type = 'public' end
);
alter table apps drop constraint apps_redirect_uris_check;
alter table apps add constraint apps_redirect_uris_check check (
  jsonb_typeof(redirect_uris) = 'array'
    and jsonb_array_length(redirect_uris) <= case when document_host is null then 5 else 20 end
);
-- The id of such an app is used again when a user allows it again; its tokens end with their grants.
drop trigger withdraw_app on apps;
create trigger withdraw_app after delete on apps
  for each row when (old.document_host is null) execute function withdraw_app();
create index apps_document_host_idx on apps (document_host) where document_host is not null;

-- Hosts whose documents the operator refuses.
create table denied_document_hosts (
  host text primary key check (host ~ '^[a-z0-9.:\[\]-]{1,255}$'),
  denied_at timestamptz(3) not null default now()
);
