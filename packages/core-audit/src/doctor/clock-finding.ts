import { toleratedClockMs } from '../host/clock-health.ts'
import { type DoctorContext, type Finding, failed, ok, skipped, warning } from './check.ts'

/** The time of another machine, and the host's clock before and after the request for it. */
export interface ClockReading {
  readonly sentAtMs: number
  readonly receivedAtMs: number
  readonly theirsMs: number
  /** The resolution of their time. The header `Date` has 1 s. */
  readonly resolutionMs: number
}

/**
 * Above, a clock is set wrong. If it is that of the database, from which hosts take their time, or of the identity provider,
 * hosts reject valid tokens or accept expired ones.
 */
const failureMs = 60_000

/** Compares the clock of this machine with that of `other`. The duration of the request is not counted as a difference. */
export function clockFinding(other: string, reading: ClockReading): Finding {
  const { sentAtMs, receivedAtMs, theirsMs, resolutionMs } = reading
  const aheadMs = sentAtMs - (theirsMs + resolutionMs)
  const behindMs = theirsMs - receivedAtMs
  const differenceMs = Math.max(aheadMs, behindMs, 0)
  if (differenceMs <= toleratedClockMs) return ok(`The clock of ${other} agrees with this machine.`)
  const direction = aheadMs > behindMs ? 'ahead of' : 'behind'
  const report = differenceMs > failureMs ? failed : warning
  return report(
    `This machine is ${Math.round(differenceMs / 1000)} s ${direction} ${other}.`,
    'Synchronize the clocks of both machines (chrony or systemd-timesyncd).',
  )
}

/** A server whose `Date` header the doctor compares with the clock of this machine. */
export interface HttpClock {
  /** The server, as in "This machine is 5 s ahead of …". */
  readonly other: string
  readonly url: string
  /** The check that reports an unreachable server. */
  readonly needed: string
}

/** Compares the clock of this machine with the header `Date` of an HTTP server, which any response has. */
export async function httpClockFinding(
  { other, url, needed }: HttpClock,
  { signal, now }: DoctorContext,
): Promise<Finding> {
  const sentAtMs = now()
  const response = await fetch(url, { method: 'HEAD', signal, redirect: 'manual' }).catch(() => null)
  if (response === null) return skipped(`Needs ${needed}.`)
  const theirsMs = Date.parse(response.headers.get('date') ?? '')
  if (Number.isNaN(theirsMs)) return ok(`Not compared: ${other} sends no date.`)
  return clockFinding(other, { sentAtMs, receivedAtMs: now(), theirsMs, resolutionMs: 1_000 })
}
