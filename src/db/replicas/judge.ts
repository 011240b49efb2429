import type { PrimaryState, ReplicaAnswer } from './positions.ts'

/** Why a replica is left out. */
export type ReplicaFault = 'unknown' | 'silent' | 'promoted' | 'foreign' | 'timeline' | 'behind'

/** Distance, in bytes, behind the primary from which a replica is left out. */
const MAX_LAG_BYTES = 16 * 2 ** 20

/**
 * Decides whether a replica can be used.
 *
 * @returns `lagBytes` is the WAL that it has yet to replay; undefined if the two positions cannot be compared
 */
export function judgeReplica(
  primary: PrimaryState,
  { system, timeline, position }: ReplicaAnswer,
): { fault: ReplicaFault | undefined; lagBytes: number | undefined } {
  if (system !== primary.system) return { fault: 'foreign', lagBytes: undefined }
  if (position === null) return { fault: 'promoted', lagBytes: undefined }
  const lagBytes = Math.max(0, primary.position - position)
  if (timeline !== primary.timeline) return { fault: 'timeline', lagBytes }
  return { fault: lagBytes > MAX_LAG_BYTES ? 'behind' : undefined, lagBytes }
}
