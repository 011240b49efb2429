import { Type, type Static } from 'typebox'
import { DateTime, Envelope, Named, NullableText, Ref, StringEnum } from '../http/wire/schemas.ts'
import { GRANT_TYPES } from './rules/grant-types.ts'

const CLIENT_TYPES = ['confidential', 'public'] as const
const APPLICATION_TYPES = ['web', 'native'] as const
const METHODS = ['client_secret_basic', 'client_secret_post', 'none'] as const

const common = {
  client_id: Type.String({ examples: ['mk_0pF0pzMNHVcOXizc'] }),
  client_name: Type.String(),
  scope: Type.Union([Type.String(), Type.Null()], {
    description: 'What the app may request, space-separated; null when that is nothing',
  }),
  client_uri: NullableText,
  logo: Type.Union([Type.String(), Type.Null()], { description: 'Address of its picture' }),
  redirect_uris: Type.Array(Type.String()),
  enabled: Type.Boolean(),
  created_at: DateTime,
  client_type: StringEnum(CLIENT_TYPES, { title: 'ClientType' }),
  application_type: StringEnum(APPLICATION_TYPES, { title: 'ApplicationType' }),
  token_endpoint_auth_method: StringEnum(METHODS, { title: 'TokenEndpointAuthMethod' }),
  grant_types: Type.Array(StringEnum(GRANT_TYPES, { title: 'GrantType' })),
  backchannel_logout_uri: NullableText,
  backchannel_logout_session_required: Type.Boolean(),
  privacy_uri: Type.Optional(
    Type.String({ description: 'What it does with data; missing while it is not set' }),
  ),
  required_scopes: Type.Optional(
    Type.Array(Type.String(), {
      description:
        'What it does not work without; missing while readers may leave out everything but `openid`',
    }),
  ),
  terms_uri: Type.Optional(
    Type.String({ description: 'Its terms of use; missing while it is not set' }),
  ),
  previous_secret_expires_at: Type.Optional({
    ...DateTime,
    description: 'Until when the secret that was replaced still works; missing when there is none',
  }),
}

/** §2.11 and decision 0012. */
export const DeveloperApp = Named('DeveloperApp', common)
export type DeveloperApp = Static<typeof DeveloperApp>

/** An app in responses that contain a new secret: after creation, a change or a rotation. */
export const DeveloperAppWithSecret = Named('DeveloperAppWithSecret', {
  ...common,
  client_secret: Type.Union([Type.String({ examples: ['mks_…'] }), Type.Null()], {
    description: 'Shown this once; null when none was made, as for a public app',
  }),
})

export type DeveloperAppWithSecret = Static<typeof DeveloperAppWithSecret>

/** Response of PATCH. */
export const ChangedAppEnvelope = Type.Object(
  {
    ...Envelope(Ref(DeveloperAppWithSecret)).properties,
    details: Type.Optional(
      Type.Object(
        {
          dropped_scopes: Type.Array(Type.String(), {
            description: 'Scopes that users grant: they went with the last redirect URI',
          }),
        },
        { additionalProperties: false },
      ),
    ),
  },
  { additionalProperties: false },
)

const changeable = {
  client_name: Type.String({
    description:
      '1 to 64 characters after trimming, one of them visible; no control characters, and none that turn the direction of writing',
  }),
  enabled: Type.Boolean(),
  scopes: Type.Array(Type.String(), {
    maxItems: 50,
    description: 'What the app may request; scopes that users grant need a redirect URI',
    examples: [['catalog:read']],
  }),
  required_scopes: Type.Array(Type.String(), {
    maxItems: 50,
    description:
      'Scopes the app does not work without, of those it may request and `profile`, `email`, `offline_access`: readers who allow it cannot leave them out. The others they may untick; `openid` always stays',
    examples: [['status:write']],
  }),
  client_uri: Type.Union([Type.String(), Type.Null()], { description: 'https, without fragment' }),
  logo: Type.Union([Type.String(), Type.Null()], { description: 'https, without fragment' }),
  privacy_uri: Type.Union([Type.String(), Type.Null()], {
    description:
      'What the app does with data, for readers who are asked for consent: https, or http of this machine',
  }),
  terms_uri: Type.Union([Type.String(), Type.Null()], {
    description: 'The terms of use of the app, likewise',
  }),
  redirect_uris: Type.Array(Type.String(), {
    description:
      'At most 5: https, http of this machine, or a private-use scheme; compared to the letter (§5.2)',
  }),
  client_type: StringEnum(CLIENT_TYPES, { title: 'ClientType' }),
  application_type: StringEnum(APPLICATION_TYPES, { title: 'ApplicationType' }),
  token_endpoint_auth_method: StringEnum(METHODS, { title: 'TokenEndpointAuthMethod' }),
  grant_types: Type.Array(StringEnum(GRANT_TYPES, { title: 'GrantType' })),
  backchannel_logout_uri: Type.Union([Type.String(), Type.Null()], {
    description:
      'Is sent a logout token when a user signs out (OpenID Connect Back-Channel Logout 1.0)',
  }),
  backchannel_logout_session_required: Type.Boolean({
    description: 'Whether ID tokens and logout tokens name the session (`sid`)',
  }),
}

/** Body of PATCH. Fields that are not sent stay unchanged. */
export const AppChange = Type.Partial(Type.Object(changeable), { additionalProperties: false })
export type AppChange = Static<typeof AppChange>

/** Body of POST. */
export const NewAppBody = Type.Object(
  { ...Type.Partial(Type.Object(changeable)).properties, client_name: changeable.client_name },
  { additionalProperties: false },
)

/** Body of a rotation. It is optional; validation sees a missing body as null. */
export type SecretRotation = { revoke_tokens?: boolean; previous_secret_expires_in?: number }
export const SecretRotation = Type.Unsafe<SecretRotation | null>({
  type: ['object', 'null'],
  properties: {
    revoke_tokens: Type.Boolean({
      description:
        'Whether access tokens that were got with older secrets are refused within a second; by default they are, unless the old secret stays good',
    }),
    previous_secret_expires_in: Type.Integer({
      minimum: 0,
      maximum: 2_592_000,
      default: 0,
      description: 'Seconds that the old secret stays good beside the new one, up to 30 days',
    }),
  },
  additionalProperties: false,
})

/** Usage of one app on one day. */
const UsageDay = Type.Object(
  {
    date: Type.String({ format: 'date', description: 'Of UTC' }),
    requests: Type.Integer(),
    rate_limited: Type.Integer(),
    errors: Type.Integer(),
    tokens: Type.Integer(),
  },
  { additionalProperties: false },
)

/** Usage of one route on one day. */
const EndpointUsage = Type.Object(
  {
    date: Type.String({ format: 'date', description: 'Of UTC' }),
    endpoint: Type.String({ examples: ['GET /api/v3/open/galgames/{id}'] }),
    status: Type.String({
      pattern: '^[1-5]xx$',
      description: 'The class of the status; 304 counts as `2xx`',
    }),
    requests: Type.Integer(),
  },
  { additionalProperties: false },
)
export type EndpointUsage = Static<typeof EndpointUsage>

export const AppEndpointUsage = Named('AppEndpointUsage', {
  days: Type.Array(EndpointUsage, { description: 'Newest first; what was not called is left out' }),
})

/** Maximum number of days of usage in a response. */
export const USAGE_DAYS = 90

export const UsageQuery = Type.Object({
  days: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: USAGE_DAYS,
      default: 7,
      description: 'Number of days, today included',
    }),
  ),
})
export type UsageQuery = Static<typeof UsageQuery>

/** A rejected request and the reason. */
export const RefusedAppRequest = Named('RefusedAppRequest', {
  at: DateTime,
  request_id: Type.String({ description: 'As the answer had it, in `X-Request-Id`' }),
  endpoint: Type.String({ examples: ['POST /oidc/token'] }),
  status: Type.Integer(),
  code: Type.String({ description: 'What the app was told' }),
  reason: Type.String({
    description: 'The rule that refused it; often more than the app was told',
  }),
  sent: Type.Record(Type.String(), Type.String(), {
    description: 'What the refusal rests on; of secrets, tokens, codes and texts only the length',
  }),
  address: Type.Union([Type.String(), Type.Null()], {
    description: 'The network it came from',
    examples: ['203.0.113.0/24'],
  }),
})

export const AppUsage = Named('AppUsage', {
  connected_users: Type.Integer({ description: 'Readers who have allowed the app' }),
  days: Type.Array(UsageDay, {
    description: `The last ${USAGE_DAYS} days, newest first; days without use are left out`,
  }),
})
export type AppUsage = Static<typeof AppUsage>
