/** Applies pending rating deltas in the given database (a directory or a URL), and prints a line after each batch. */
import { openDatabase } from '../../src/db/database.ts'
import { applyRatingDeltas } from '../../src/ratings/totals/queries.ts'

const [dataDir = '', databaseUrl = ''] = process.argv.slice(2)
const { db } = await openDatabase({
  databaseUrl: databaseUrl === '' ? undefined : databaseUrl,
  dataDir,
})
while (await applyRatingDeltas(db)) process.stdout.write('applied\n')
setInterval(() => {}, 60_000)
