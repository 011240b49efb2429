-- Keys that sign tokens (decisions §3). A key is published from created_at, signs from signs_from on until a younger one
-- does, and is verified against until retired_at.
create table signing_keys (
  kid          text primary key,
  alg          text not null check (alg in ('ES256', 'RS256')),
  -- the private JWK as JSON, or, when SECRET_KEY is set, encrypted: v1.<iv>.<ciphertext and tag>, each base64url
  private_jwk  text not null,
  created_at   timestamptz(3) not null default now(),
  signs_from   timestamptz(3) not null default now(),
  retired_at   timestamptz(3)
);
