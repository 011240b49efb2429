import type { FastifyReply } from 'fastify'
import type { Messages } from '../../../ui/messages.ts'

/** Tells the browser how long to wait before the next try. @returns the status of the page and what it says */
export function refuseWithRetryAfter(reply: FastifyReply, seconds: number, error: string) {
  void reply.header('retry-after', String(seconds))
  return { status: 429, error }
}

/** Shown after too many attempts. A wait of two minutes or more is given in whole minutes. */
export const refuseTooManyAttempts = (
  reply: FastifyReply,
  seconds: number,
  { tooManyAttempts }: Messages,
) =>
  refuseWithRetryAfter(
    reply,
    seconds,
    seconds < 120
      ? tooManyAttempts.seconds({ seconds })
      : tooManyAttempts.minutes({ minutes: wholeMinutes(seconds) }),
  )

/** Whole minutes, for texts that do not count seconds. */
export const wholeMinutes = (seconds: number) => Math.ceil(seconds / 60)
