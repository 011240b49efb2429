-- A refresh token stays good until one of its successors is used (decision 0003).
alter table oidc_records
  -- hash of the refresh token this one was issued for
  add column succeeds text,
  -- first use of a successor: from then on the token is a replay
  add column superseded_at timestamptz(3);

-- Successors issued before this migration are not linked: their predecessors count as superseded.
update oidc_records set superseded_at = consumed_at where model = 'RefreshToken' and consumed_at is not null;
