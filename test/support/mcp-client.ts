import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { createClient, createUser, obtainTokens, type TestUser } from './authorization.ts'
import type { TestApp, TestService } from './service.ts'

/** Stateless revision of the protocol. */
const STATELESS = '2026-07-28'
/** Revisions of the protocol that the tools support. Those of 2025 begin with a handshake. */
export const REVISIONS = ['2025-03-26', '2025-06-18', '2025-11-25', STATELESS]

/** Any JSON object. The tests check the members. */
// oxlint-disable-next-line typescript/no-explicit-any -- the tests check what a tool returns
type AnyJson = any

/** Connects the protocol's official client to the tools, with one revision only. */
export async function connectAgent(
  { url }: { url: string },
  token: string,
  revision = STATELESS,
): Promise<Client> {
  const client = new Client(
    { name: 'test', version: '1.0.0' },
    {
      supportedProtocolVersions: [revision],
      versionNegotiation: { mode: revision === STATELESS ? { pin: revision } : 'legacy' },
    },
  )
  await client.connect(
    new StreamableHTTPClientTransport(new URL(`${url}/mcp`), {
      requestInit: { headers: { authorization: `Bearer ${token}` } },
    }),
  )
  return client
}

/** Calls a tool and returns its structured result. Throws the text of a failed call. */
export async function callTool(client: Client, name: string, input: object = {}): Promise<AnyJson> {
  const result = await client.callTool({ name, arguments: { ...input } })
  if (result.isError) throw new Error(toolText(result))
  return result.structuredContent
}

export const toolText = ({ content }: { content: { type: string; text?: string }[] }) =>
  content.map(({ text = '' }) => text).join('\n')

export type AgentTokens = Awaited<ReturnType<typeof obtainTokens>> & {
  user: TestUser
  app: TestApp
}

/** Returns tokens for the tools, of a new user and app unless they are given. */
export async function agentTokens(
  service: TestService,
  {
    scope = 'catalog:read status:read',
    ...given
  }: { scope?: string; user?: TestUser; app?: TestApp } = {},
): Promise<AgentTokens> {
  const app = given.app ?? (await createClient(service))
  const user = given.user ?? (await createUser(service))
  const tokens = await obtainTokens(service, { app, user, scope, resource: `${service.url}/mcp` })
  return { ...tokens, app, user }
}
