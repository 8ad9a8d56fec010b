import type { Claim } from './commands/claim-deliveries.ts'
import { releaseClaims } from './commands/release-claims.ts'
import { type Delivering, deliver } from './deliver.ts'
import type { Pace } from './pace.ts'

export interface WorkThrough<Result> extends Delivering<Result> {
  readonly pace: Pace
  readonly signal: AbortSignal
}

/**
 * Handles one claim while time remains. New events are handled together, as many as the pace allows. An event that failed
 * before is handled separately, so that it costs no other event an attempt. If a batch fails, each of its events is retried
 * separately. Claims are released unchanged when too little of the lease remains or the signal is aborted.
 */
export async function workThrough<Result>(
  { pace, signal, ...delivering }: WorkThrough<Result>,
  claims: readonly Claim[],
): Promise<void> {
  const startedMs = performance.now()
  const isLate = () => performance.now() - startedMs > delivering.config.leaseMs / 2
  const isNew = ({ attempt }: Claim) => attempt === 1
  const groups = [claims.filter(isNew), ...claims.filter((claim) => !isNew(claim)).map(alone)]
  let isSomeSettled = false
  try {
    while (groups.length > 0 && !signal.aborted && !(isSomeSettled && isLate())) {
      const [first, ...others] = takeBatch(groups, pace.eventLimit)
      if (first === undefined) continue
      const batch = [first, ...others] as const
      const begunMs = performance.now()
      const isSettled = await deliver(delivering, batch)
      pace.record(batch.length, performance.now() - begunMs)
      if (isSettled) isSomeSettled = true
      else groups.unshift(...batch.map(alone))
    }
  } finally {
    const left = groups.flat()
    const release = () => delivering.database.statement((tx) => releaseClaims(tx, left))
    if (left.length > 0) await delivering.unfinished.run(release)
  }
}

const alone = (claim: Claim): readonly Claim[] => [claim]

/** Removes and returns the first group. If the group is larger than `limit`, returns only that many of its events. */
function takeBatch(groups: (readonly Claim[])[], limit: number): readonly Claim[] {
  const [group = []] = groups.splice(0, 1)
  if (group.length > limit) groups.unshift(group.slice(limit))
  return group.slice(0, limit)
}
