import { Readable } from 'node:stream'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { readList } from '../../ratings/lists/export-queries.ts'
import { toCsv, toJson } from '../../ratings/lists/export-text.ts'
import { PAGE, type PageRouteOptions } from '../options.ts'

export type ExportOptions = PageRouteOptions & { accountOf: (request: FastifyRequest) => number }

/**
 * Serves the user's whole list as CSV for spreadsheets, and as JSON in the format of the API, which
 * can be imported again.
 */
export function exportRoutes(app: FastifyInstance, { db, accountOf }: ExportOptions): void {
  const formats = [
    ['csv', 'text/csv'],
    ['json', 'application/json'],
  ] as const
  for (const [format, type] of formats)
    app.get(`/library/export.${format}`, PAGE, (request, reply) => {
      const now = new Date()
      const list = readList(db, { accountId: accountOf(request), hasNotes: true })
      const text =
        format === 'csv' ? toCsv(list) : toJson(list, { exportedAt: now, requestId: request.id })
      const name = `mokuroku-list-${now.toISOString().slice(0, 10)}.${format}`
      return reply
        .header('cache-control', 'no-store')
        .header('x-content-type-options', 'nosniff')
        .header('content-disposition', `attachment; filename="${name}"`)
        .type(`${type}; charset=utf-8`)
        .send(Readable.from(text, { objectMode: false }))
    })
}
