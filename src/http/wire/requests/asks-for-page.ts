import type { FastifyRequest } from 'fastify'

/** Whether a browser wants to show the answer to somebody: programs take JSON, or whatever there is. */
export const asksForPage = ({ headers }: Pick<FastifyRequest, 'headers'>) =>
  headers.accept?.includes('text/html') === true
