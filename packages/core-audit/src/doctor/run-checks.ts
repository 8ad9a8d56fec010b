import { type DoctorCheck, type DoctorContext, type Finding, skipped } from './check.ts'
import { failureCode } from './failure-code.ts'

/** A finding and the name of its check. */
export interface NamedFinding extends Finding {
  readonly name: string
}

export interface RunChecksOptions extends Omit<DoctorContext, 'signal'> {
  /** The limit of each check. */
  readonly limitMs: number
  /** Aborts all checks. */
  readonly signal?: AbortSignal
}

/** Runs all checks in parallel and returns the findings in the order of the checks. Never rejects. */
export function runChecks(
  checks: readonly DoctorCheck[],
  { limitMs, signal, ...context }: RunChecksOptions,
): Promise<readonly NamedFinding[]> {
  const limit = AbortSignal.any([AbortSignal.timeout(limitMs), ...(signal === undefined ? [] : [signal])])
  /** The checks without success so far. */
  const unmet = new Set(checks.map(({ name }) => name))
  return Promise.all(
    checks.map(async (check) => {
      const late = Promise.withResolvers<Finding>()
      // Added before the check starts, so it runs before the check fails because of the same signal.
      const stop = () => {
        const awaited = check.needs?.find((name) => unmet.has(name))
        late.resolve(awaited === undefined ? unanswered(limitMs) : skipped(`Needs ${awaited}.`))
      }
      limit.addEventListener('abort', stop, { once: true })
      const finding = await Promise.race([examine(check, { ...context, signal: limit }), late.promise])
      limit.removeEventListener('abort', stop)
      if (finding.status === 'ok' || finding.status === 'warning') unmet.delete(check.name)
      return { name: check.name, ...finding }
    }),
  )
}

async function examine(check: DoctorCheck, context: DoctorContext): Promise<Finding> {
  try {
    return await check.run(context)
  } catch (error) {
    return { ...unexpected, message: `The check failed (${failureCode(error)}).` }
  }
}

const unexpected = {
  status: 'failed',
  change: 'Look for this code in the log of the server, and check the address in the configuration.',
} as const

const unanswered = (limitMs: number): Finding => ({
  status: 'failed',
  message: `No answer within ${limitMs / 1000} s.`,
  change: 'Check the address in the configuration, and firewalls that drop packets.',
})
