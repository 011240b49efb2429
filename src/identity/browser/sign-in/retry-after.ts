import type { FastifyReply } from 'fastify'
import type { Messages } from '../../../ui/messages.ts'

/** Sets `Retry-After`. @returns status and error of the page */
export function refuseWithRetryAfter(reply: FastifyReply, seconds: number, error: string) {
  void reply.header('retry-after', String(seconds))
  return { status: 429, error }
}

/** Refuses after too many attempts. Waits of two minutes or more are shown in whole minutes. */
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

export const wholeMinutes = (seconds: number) => Math.ceil(seconds / 60)
