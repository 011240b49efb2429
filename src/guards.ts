import type { Usage } from './apps/usage/usage.ts'
import type { Config } from './config/config.ts'
import type { Guards } from './http/admission/access.ts'
import { anonymousGuard } from './http/admission/anonymous-guard.ts'
import { countedAs, type VerifyToken } from './http/admission/bearer.ts'
import { catalogGuard } from './http/admission/catalog-guard.ts'
import type { FailedAuthentications } from './http/admission/failed-authentications.ts'
import { guard } from './http/admission/guard.ts'
import type { Throttle } from './http/admission/throttle.ts'
import { userGuard } from './http/admission/user-guard.ts'
import type { Identity } from './identity/identity.ts'
import { withResourceMetadata } from './mcp/plugin.ts'

/** Maximum messages of the protocol per call of a tool: negotiation and the list of tools. */
const MCP_MESSAGES_PER_CALL = 4

type GuardOptions = {
  config: Config
  identity: Identity
  /** Verifies API tokens, and the internal tokens with which tools call the API in this process. */
  verifyToken: VerifyToken
  throttle: Throttle
  usage: Usage
  failedAuthentications: FailedAuthentications
}

/** Creates the guard of each access rule, with the limits from the settings. */
export function createGuards({
  config,
  identity,
  verifyToken,
  throttle,
  usage,
  failedAuthentications,
}: GuardOptions): Guards {
  const services = {
    verifyToken,
    throttle,
    countRequest: usage.countRequest,
    failedAuthentications,
  }
  const [, mcpUrl = ''] = identity.audiences
  return {
    catalog: catalogGuard(services, {
      requestsPerMinute: config.catalogRequestsPerMinute,
      usage,
      anonymousRequestsPerMinute: config.anonymousCatalog
        ? config.anonymousRequestsPerMinute
        : undefined,
    }),
    anonymous: anonymousGuard(services, config.anonymousRequestsPerMinute),
    page: anonymousGuard(services, config.pageRequestsPerMinute, 'page'),
    user: userGuard(services, {
      requestsPerMinute: config.userRequestsPerMinute,
      keyOf: (caller) => `user:${countedAs(caller)}:${caller.accountId}`,
    }),
    developer: userGuard(services, {
      requestsPerMinute: config.developerRequestsPerMinute,
      keyOf: ({ accountId }) => `developer:${accountId}`,
    }),
    mcp: guard(
      {
        ...services,
        verifyToken: identity.verifyMcpToken,
        // Tools call routes that count the request.
        countRequest: () => {},
        failedAuthentications: (request, error) =>
          failedAuthentications(request, withResourceMetadata(error, mcpUrl)),
      },
      {
        usersOnly: false,
        defaultScope: null,
        requestsPerMinute: MCP_MESSAGES_PER_CALL * config.userRequestsPerMinute,
        keyOf: (caller) => `mcp:${countedAs(caller)}:${caller.accountId}`,
      },
    ),
  }
}
