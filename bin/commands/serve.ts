import { Command } from 'commander'
import { readConfigForServing } from '../../src/config.ts'
import { findShowcase, prepareDemo, type Demo } from '../../src/demo.ts'
import { openLog } from '../../src/operations/log.ts'
import { stopOnSignals } from '../../src/operations/shutdown.ts'
import { JSON_OPTION, print, type PrintOptions } from '../print.ts'

const HELP = `
On a first start with the embedded database this loads the bundled sample and makes a demo account and demo apps,
written to DATA_DIR/demo.json. With DATABASE_URL it does so only when --demo is given.`

export const serveCommand = () =>
  new Command('serve')
    .description('run the service')
    .option('--demo', 'with a new database: load the sample, make a demo account and demo apps')
    .option('--no-demo', 'with a new database: make nothing')
    .option(...JSON_OPTION)
    .addHelpText('after', HELP)
    .action(serve)

async function serve(options: PrintOptions & { demo?: boolean }) {
  // Here and not above: the other commands start without the weight of the service.
  const { openServer } = await import('../../src/server.ts')
  const config = await readConfigForServing()
  const log = openLog(config.logLevel)
  const server = await openServer(config, log)
  stopOnSignals(server.close, log)
  try {
    const { db, engine } = server.database
    const wanted = options.demo ?? engine === 'embedded'
    const demo = await prepareDemo(db, config, wanted, (step) => log.info(step))
    await server.listen()
    log.info({ address: config.baseUrl, database: engine }, 'Listening')
    const lines = [
      `mokuroku listens on ${config.baseUrl}`,
      ...(demo ? introduce(demo, await findShowcase(db)) : []),
    ]
    print(
      options,
      { listening: config.baseUrl, ...(demo && { demo_file: `${config.dataDir}/demo.json` }) },
      lines,
    )
  } catch (error) {
    await server.close()
    throw error
  }
}

/** What to do first: lines that work when pasted. */
function introduce({ base_url, apps }: Demo, galgame = 1): string[] {
  const [app] = apps
  if (!app) return []
  const token = `curl -s -u ${app.client_id}:${app.client_secret} -d grant_type=client_credentials -d scope=${app.scope} ${base_url}/oidc/token`
  const call = (path: string) =>
    `curl -s -H "Authorization: Bearer $TOKEN" "${base_url}/api/v3/open/${path}"; echo`
  return [
    '',
    `  client id      ${app.client_id}`,
    `  client secret  ${app.client_secret}`,
    `  reference      ${base_url}/docs`,
    '',
    'Paste these to try it:',
    '',
    `TOKEN=$(${token} | sed 's/.*"access_token":"\\([^"]*\\)".*/\\1/'); echo "$TOKEN"`,
    call(`galgames/${galgame}`),
    call(`galgames/${galgame}/characters?role=MAIN&page_size=5`),
    '',
  ]
}
