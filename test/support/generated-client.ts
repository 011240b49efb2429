import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { build } from 'esbuild'
import { CHECKOUT } from './program.ts'
import { first, sampleWorks } from './sample-works.ts'
import type { TestService } from './service.ts'

const run = promisify(execFile)

/** Document that generators read. */
export const DOCUMENT = join(CHECKOUT, 'openapi.json')

/** A generator of clients. */
export type Generator = {
  /** Command that writes `client.ts`, or several files to `client/`, in the working directory. */
  command: string[]
  /** Name and text of a configuration file for clients of the server. */
  config?: (server: string) => [name: string, text: string]
  /** TypeScript module that exports `call(server, token, id)`, which uses the client to get a galgame. */
  program: string
  /** Output of the compiler for the client, empty by default. */
  faults?: RegExp
}

/**
 * Generates a client in a folder, compiles it in strict mode together with the program, and calls the service with it.
 *
 * @param bin folder of the generator's command
 * @returns the ID of the galgame to get, and what the program returned
 */
export async function callWithGeneratedClient(
  service: TestService,
  folder: string,
  bin: string,
  { command: [tool = '', ...args], config, program, faults = /^$/ }: Generator,
): Promise<{ id: number; result: unknown }> {
  mkdirSync(folder, { recursive: true })
  const write = (name: string, text: string) => writeFileSync(join(folder, name), text)
  const start = (command: string, options: string[]) => run(command, options, { cwd: folder })
  if (config) write(...config(service.url))
  await start(join(bin, tool), args)
  write('program.ts', program)
  const compilerOptions = {
    strict: true,
    noEmit: true,
    allowImportingTsExtensions: true,
    target: 'es2023',
    module: 'esnext',
    moduleResolution: 'bundler',
    lib: ['es2023', 'dom'],
    types: [],
  }
  write('tsconfig.json', JSON.stringify({ compilerOptions, include: ['**/*.ts'] }))
  const reported = await start(join(CHECKOUT, 'node_modules/.bin/tsc'), []).then(
    () => '',
    (error: Error & { stdout?: string }) => error.stdout || error.message,
  )
  assert.match(reported, faults)
  const outfile = join(folder, 'program.mjs')
  // Some clients import their files without extensions, which only a bundler resolves.
  await build({
    entryPoints: [join(folder, 'program.ts')],
    outfile,
    bundle: true,
    format: 'esm',
    logLevel: 'silent',
  })
  // as: what every program exports
  const { call } = (await import(pathToFileURL(outfile).href)) as {
    call(server: string, token: string, id: number): Promise<unknown>
  }
  const id = first((await sampleWorks(service.db)).galgame)
  return { id, result: await call(service.url, await service.token(), id) }
}
