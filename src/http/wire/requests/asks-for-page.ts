import type { FastifyRequest } from 'fastify'

/** Whether a browser requests a page. Programs accept JSON or any type. */
export const asksForPage = ({ headers }: Pick<FastifyRequest, 'headers'>) =>
  headers.accept?.includes('text/html') === true
