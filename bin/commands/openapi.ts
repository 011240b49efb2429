import { writeFile } from 'node:fs/promises'
import { Command } from 'commander'

export const openapiCommand = () =>
  new Command('openapi')
    .description('print the OpenAPI document')
    .option('--output <file>', 'write it there instead')
    .action(async ({ output }: { output?: string }) => {
      const { describeApi } = await import('../../src/describe-api.ts')
      const text = `${JSON.stringify(await describeApi(), undefined, 2)}\n`
      if (output) await writeFile(output, text)
      else process.stdout.write(text)
    })
