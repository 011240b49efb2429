import { Type, type Static } from 'typebox'
import {
  Closed,
  DateTime,
  Envelope,
  Named,
  Nullable,
  NullableText,
  Ref,
  StringEnum,
} from '../http/wire/schemas.ts'
import { GRANT_TYPES } from './rules/grant-types.ts'

const METHODS = ['client_secret_basic', 'client_secret_post', 'none'] as const

const client = {
  client_type: StringEnum(['confidential', 'public'], { title: 'ClientType' }),
  application_type: StringEnum(['web', 'native'], { title: 'ApplicationType' }),
  token_endpoint_auth_method: StringEnum(METHODS, { title: 'TokenEndpointAuthMethod' }),
  grant_types: Type.Array(StringEnum(GRANT_TYPES, { title: 'GrantType' })),
}

const common = {
  client_id: Type.String({ examples: ['mk_0pF0pzMNHVcOXizc'] }),
  client_name: Type.String(),
  scope: {
    ...NullableText,
    description: 'Scopes the app may request, separated by spaces; null without scopes',
  },
  client_uri: NullableText,
  logo: { ...NullableText, description: 'URL of the logo' },
  redirect_uris: Type.Array(Type.String()),
  enabled: Type.Boolean(),
  created_at: DateTime,
  ...client,
  backchannel_logout_uri: NullableText,
  backchannel_logout_session_required: Type.Boolean(),
  privacy_uri: Type.Optional(Type.String({ description: 'Privacy policy; omitted if not set' })),
  required_scopes: Type.Optional(
    Type.Array(Type.String(), {
      description:
        'Scopes the app requires; omitted if users may leave out every scope except `openid`',
    }),
  ),
  terms_uri: Type.Optional(Type.String({ description: 'Terms of service; omitted if not set' })),
  previous_secret_expires_at: Type.Optional({
    ...DateTime,
    description: 'When the previous secret expires; omitted without a previous secret',
  }),
}

/** §2.11 and decision 0012. */
export const DeveloperApp = Named('DeveloperApp', common)
export type DeveloperApp = Static<typeof DeveloperApp>

/** An app in responses that contain a new secret: after creation, a change or a rotation. */
export const DeveloperAppWithSecret = Named('DeveloperAppWithSecret', {
  ...common,
  client_secret: Nullable(Type.String({ examples: ['mks_…'] }), {
    description: 'Shown only in this response; null if none was created, as for a public app',
  }),
})

export type DeveloperAppWithSecret = Static<typeof DeveloperAppWithSecret>

/** Response of PATCH. */
export const ChangedAppEnvelope = Closed({
  ...Envelope(Ref(DeveloperAppWithSecret)).properties,
  details: Type.Optional(
    Closed({
      dropped_scopes: Type.Array(Type.String(), {
        description: 'User scopes that were removed with the last redirect URI',
      }),
    }),
  ),
})

const changeable = {
  client_name: Type.String({
    description:
      '1 to 64 characters after trimming, at least one of them visible; no control or bidirectional characters',
  }),
  enabled: Type.Boolean(),
  scopes: Type.Array(Type.String(), {
    maxItems: 50,
    description: 'Scopes the app may request; user scopes require a redirect URI',
    examples: [['catalog:read']],
  }),
  required_scopes: Type.Array(Type.String(), {
    maxItems: 50,
    description:
      'Scopes that users cannot leave out when they authorize the app: any of those it may request, and `profile`, `email` and `offline_access`. Users may deselect the others, except `openid`',
    examples: [['status:write']],
  }),
  client_uri: { ...NullableText, description: 'https, without fragment' },
  logo: { ...NullableText, description: 'https, without fragment' },
  privacy_uri: {
    ...NullableText,
    description: 'Privacy policy, linked on the consent page: https, or http on loopback',
  },
  terms_uri: {
    ...NullableText,
    description: 'Terms of service, linked on the consent page: https, or http on loopback',
  },
  redirect_uris: Type.Array(Type.String(), {
    description:
      'At most 5: https, http on loopback, or a private-use scheme; compared exactly (§5.2)',
  }),
  ...client,
  backchannel_logout_uri: {
    ...NullableText,
    description:
      'Receives a logout token when a user signs out (OpenID Connect Back-Channel Logout 1.0)',
  },
  backchannel_logout_session_required: Type.Boolean({
    description: 'Whether ID tokens and logout tokens contain the session id (`sid`)',
  }),
}

/** Body of PATCH. Fields that are not sent stay unchanged. */
export const AppChange = Type.Partial(Type.Object(changeable), { additionalProperties: false })
export type AppChange = Static<typeof AppChange>

/** Body of POST. */
export const NewAppBody = Closed({
  ...Type.Partial(Type.Object(changeable)).properties,
  client_name: changeable.client_name,
})

/** Body of a rotation, which is optional. Validation treats a missing body as null. */
export type SecretRotation = { revoke_tokens?: boolean; previous_secret_expires_in?: number }
export const SecretRotation = Type.Unsafe<SecretRotation | null>({
  type: ['object', 'null'],
  properties: {
    revoke_tokens: Type.Boolean({
      description:
        'Whether to reject access tokens issued with older secrets, within a second; by default true unless the old secret stays valid',
    }),
    previous_secret_expires_in: Type.Integer({
      minimum: 0,
      maximum: 2_592_000,
      default: 0,
      description: 'Seconds for which the old secret stays valid, up to 30 days',
    }),
  },
  additionalProperties: false,
})

const UsageDay = Closed({
  date: Type.String({ format: 'date', description: 'In UTC' }),
  requests: Type.Integer(),
  rate_limited: Type.Integer(),
  errors: Type.Integer(),
  tokens: Type.Integer(),
})

const EndpointUsage = Closed({
  date: Type.String({ format: 'date', description: 'In UTC' }),
  endpoint: Type.String({ examples: ['GET /api/v3/open/galgames/{id}'] }),
  status: Type.String({
    pattern: '^[1-5]xx$',
    description: 'Class of the status; 304 counts as `2xx`',
  }),
  requests: Type.Integer(),
})
export type EndpointUsage = Static<typeof EndpointUsage>

export const AppEndpointUsage = Named('AppEndpointUsage', {
  days: Type.Array(EndpointUsage, {
    description: 'Newest first; routes without requests are omitted',
  }),
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

export const RefusedAppRequest = Named('RefusedAppRequest', {
  at: DateTime,
  request_id: Type.String({ description: 'Value of `X-Request-Id` in the response' }),
  endpoint: Type.String({ examples: ['POST /oidc/token'] }),
  status: Type.Integer(),
  code: Type.String({ description: 'Error code in the response' }),
  reason: Type.String({
    description: 'The failed rule, often in more detail than the response gave',
  }),
  sent: Type.Record(Type.String(), Type.String(), {
    description:
      'Request values that explain the rejection; secrets, tokens, codes and texts are shown by length only',
  }),
  address: { ...NullableText, description: 'Network of the client', examples: ['203.0.113.0/24'] },
})

export const AppUsage = Named('AppUsage', {
  connected_users: Type.Integer({ description: 'Number of users who have authorized the app' }),
  days: Type.Array(UsageDay, {
    description: `The last ${USAGE_DAYS} days, newest first; days without usage are omitted`,
  }),
})
export type AppUsage = Static<typeof AppUsage>
