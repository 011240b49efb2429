import { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import type { CommandResult, CommandRequest } from './run-command.ts'

/**
 * Time, in milliseconds, after which a resource left open by a command counts as preventing its process from exiting.
 */
const CLOSING_MS = 10_000

const program = new URL('../../dist/run.js', import.meta.url).href
// as: `build/build.ts` bundles that module
const { run } = (await import(program)) as typeof import('../../bin/run.ts')
// Each command adds listeners to the streams; in production it does so once per process.
for (const stream of [process.stdout, process.stderr]) stream.setMaxListeners(0)

/**
 * Collects what is written to a stream instead of writing it.
 *
 * @returns the text so far
 */
function capture(stream: NodeJS.WriteStream) {
  let text = ''
  stream.write = (chunk: string | Uint8Array, ...rest: unknown[]) => {
    text += typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString()
    const written = rest.at(-1)
    if (typeof written === 'function') process.nextTick(() => written())
    return true
  }
  return () => text
}

function replaceEnvironment(environment: CommandRequest['environment']) {
  for (const name of Object.keys(process.env)) if (!(name in environment)) delete process.env[name]
  Object.assign(process.env, environment)
}

/** Lists the resources that keep this process alive, as they would keep a command's process alive. */
const listOpen = () => process.getActiveResourcesInfo().toSorted().join()

async function serve({ args, environment, input }: CommandRequest): Promise<CommandResult> {
  replaceEnvironment(environment)
  Object.defineProperty(process, 'stdin', {
    configurable: true,
    value: Readable.from(input === '' ? [] : [input]),
  })
  const [output, errors] = [capture(process.stdout), capture(process.stderr)]
  const before = listOpen()
  const status = await run(args)
  const deadline = performance.now() + CLOSING_MS
  while (listOpen() !== before && performance.now() < deadline) await sleep(1)
  const open = listOpen()
  const leftovers = open === before ? '' : `The command left open: ${open}, not only: ${before}\n`
  return { status, output: output(), errors: errors() + leftovers }
}

// Exit with the test process, whatever a command left open.
process.once('disconnect', () => process.exit())
process.on('message', (request: CommandRequest) => {
  void serve(request).then((ending) => process.send?.(ending))
})
