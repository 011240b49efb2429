import { get } from 'node:http'
import { Command } from 'commander'
import { readConfig } from '../../src/config/config.ts'
import { hostInUrl } from '../../src/config/setting-readers.ts'
import { Failure } from '../failure.ts'
import { UsageError } from '../usage-error.ts'

/** Deadline, in milliseconds, of the request. The service itself responds within two seconds. */
const DEADLINE_MS = 4_000

const HELP = `
Requests /health/ready from the service on this machine that has the same HOST
and PORT. Exit status: 0 ready, 1 not ready, 2 wrong usage or settings.`

export const healthcheckCommand = () =>
  new Command('healthcheck').addHelpText('after', HELP).action(async () => {
    const { host, port } = readConfig()
    if (port === 0) throw new UsageError('PORT is 0. Set PORT to the port of the service.')
    const url = `http://${hostInUrl(host)}:${port}`
    await requireReady(url)
    process.stdout.write(`${url} is ready.\n`)
  })

/** @throws {Failure} if the service does not respond, or is not ready */
async function requireReady(url: string): Promise<void> {
  const status = await findStatus(`${url}/health/ready`).catch((cause: Error) => {
    throw new Failure(`${url} does not respond: ${cause.message}`, { cause })
  })
  if (status !== 200) throw new Failure(`${url} is not ready (status ${status}).`)
}

/** Uses `node:http` because it loads three times as fast as `fetch`. */
const findStatus = (url: string) =>
  new Promise<number | undefined>((resolve, reject) => {
    const request = get(url, { agent: false }, (response) => {
      response.resume()
      resolve(response.statusCode)
    })
    request.setTimeout(DEADLINE_MS, () =>
      request.destroy(new Error(`no response within ${DEADLINE_MS / 1_000} seconds`)),
    )
    request.on('error', reject)
  })
