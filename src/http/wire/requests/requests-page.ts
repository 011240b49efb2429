import type { FastifyRequest } from 'fastify'

/** True for browsers that request a page. Other clients accept JSON or any type. */
export const requestsPage = ({ headers }: Pick<FastifyRequest, 'headers'>) =>
  headers.accept?.includes('text/html') === true
