import { readFile, glob } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import { dirname, extname } from 'node:path'
import { Stryker } from '@stryker-mutator/core'

/** Source files that only tests with a database cover. */
const NEEDS_DATABASE = /#test\/(?:[\w-]*(?:service|database)s?|operator|user-api)\.ts/

/**
 * Runs Stryker on one folder or file: `npm run mutation -- src/search/text`. Each mutant runs the tests of the folder
 * that need no database. `npm run mutation -- FOLDER TEST…` names other tests.
 */
async function main([target = '', ...named]: string[]): Promise<number> {
  const folder = extname(target) === '' ? target : dirname(target)
  const tests = named.length > 0 ? named : await testsWithoutDatabase(folder)
  if (tests.length === 0) {
    console.error('Usage: npm run mutation -- FOLDER [TEST…]')
    return 2
  }
  const results = await new Stryker({
    plugins: [import.meta.resolve('@stryker-mutator/tap-runner')],
    testRunner: 'tap',
    tap: {
      testFiles: tests,
      nodeArgs: [
        `--import=${import.meta.resolve('./end-with-parent.ts')}`,
        '--test-force-exit',
        '--test-reporter=tap',
        '-r',
        '{{hookFile}}',
        '{{testFile}}',
      ],
    },
    mutate: [
      folder === target ? `${target}/**/!(*.test|make-*|*queries|routes|schemas).ts` : target,
    ],
    // Messages, SQL and tables.
    mutator: { excludedMutations: ['StringLiteral', 'ArrayDeclaration'] },
    tsconfigFile: 'none',
    ignorePatterns: ['bench', 'dist', 'docs', 'examples', 'sample'],
    reporters: ['progress-append-only', 'clear-text', 'json'],
    clearTextReporter: { allowColor: false, logTests: false, reportTests: false },
    jsonReporter: { fileName: 'node_modules/.cache/stryker/report.json' },
    timeoutMS: 10_000,
    concurrency: availableParallelism(),
  }).runMutationTest()
  return results.length > 0 ? 0 : 1
}

async function testsWithoutDatabase(folder: string): Promise<string[]> {
  const tests = await Array.fromAsync(glob(`${folder}/**/*.test.ts`))
  const sources = await Promise.all(tests.map((test) => readFile(test, 'utf8')))
  return tests.filter((_test, index) => !NEEDS_DATABASE.test(sources[index] ?? ''))
}

process.exitCode = await main(process.argv.slice(2))
