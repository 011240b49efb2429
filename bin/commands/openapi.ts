import { writeFile } from 'node:fs/promises'
import { Command } from 'commander'
import stringify from 'json-stringify-pretty-compact'
import { Failure } from '../failure.ts'

export const openapiCommand = () =>
  new Command('openapi')
    .option('--output <file>', 'write it to a file instead')
    .action(async ({ output }: { output?: string }) => {
      const { describeApi } = await import('../../src/describe-api.ts')
      const text = `${stringify(await describeApi(), { maxLength: 110 })}\n`
      if (output)
        await writeFile(output, text).catch((error: NodeJS.ErrnoException) => {
          throw new Failure(
            `${output} cannot be written (${error.code}). Check that its folder exists and is writable.`,
          )
        })
      else process.stdout.write(text)
    })
