import type { PrimaryState, ReplicaPosition } from './positions.ts'

/** Reason why a replica gets no reads. */
export type ReplicaFault = 'unknown' | 'silent' | 'promoted' | 'foreign' | 'timeline' | 'behind'

/** Maximum lag, in bytes of WAL, of a replica that gets reads. */
const MAX_LAG_BYTES = 16 * 2 ** 20

/**
 * Decides whether a replica may get reads.
 *
 * @returns `lagBytes`: WAL that it has yet to replay; undefined if the positions cannot be compared
 */
export function judgeReplica(
  primary: PrimaryState,
  { system, timeline, position }: ReplicaPosition,
): { fault: ReplicaFault | undefined; lagBytes: number | undefined } {
  if (system !== primary.system) return { fault: 'foreign', lagBytes: undefined }
  if (position === null) return { fault: 'promoted', lagBytes: undefined }
  const lagBytes = Math.max(0, primary.position - position)
  if (timeline !== primary.timeline) return { fault: 'timeline', lagBytes }
  return { fault: lagBytes > MAX_LAG_BYTES ? 'behind' : undefined, lagBytes }
}
