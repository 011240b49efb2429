import type { FastifyReply } from 'fastify'

/** Tells the browser how long to wait before the next try. @returns the status of the page and what it says */
export function answerWait(reply: FastifyReply, seconds: number, error: string) {
  void reply.header('retry-after', String(seconds))
  return { status: 429, error }
}

/** Whole minutes, for texts that do not count seconds. */
export const minutesOf = (seconds: number) => Math.ceil(seconds / 60)
