-- Why a request was refused, by code, for pages in every language: a list of {code, params, field}. Null where only a library's
-- own words tell why, as in rows of earlier versions; `reason` has the English text either way.
alter table refused_requests
  add coded_reason jsonb check (jsonb_typeof(coded_reason) = 'array');
