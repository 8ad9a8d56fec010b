/** The result of a check, from best to worst. `skipped` means that the check needs another one that failed, or an option. */
export type FindingStatus = 'ok' | 'skipped' | 'warning' | 'failed'

/** The result of one check. No text contains a secret, a signed URL or data of the application. */
export interface Finding {
  readonly status: FindingStatus
  /** The observed fact, in one sentence. */
  readonly message: string
  /** Names the change and its configuration key. Every failure has one. */
  readonly change?: string
}

/** The circumstances of a run. */
export interface DoctorContext {
  /** Aborted when the time for the check is over. */
  readonly signal: AbortSignal
  /** The origins of pages that upload files. */
  readonly origins: readonly string[]
  /** An access token to examine. */
  readonly token: string | undefined
  /** The number of replicas that the deployment will have. */
  readonly replicaCount: number
  /** The clock of this machine. */
  readonly now: () => number
}

/** One check of a deployment. */
export interface DoctorCheck {
  /** The thing and its aspect: `store.cors`. */
  readonly name: string
  /** Whether a host also runs the check after it has started: it takes few statements or requests and changes nothing. */
  readonly isQuick?: boolean
  /**
   * The names of the checks that must succeed first. When the time is over, a check that still runs counts as skipped if one of
   * them has not succeeded, and otherwise as failed.
   */
  readonly needs?: readonly string[]
  /** A rejection counts as failed; its message is not shown. */
  run(context: DoctorContext): Promise<Finding>
}

/** Creates the finding of a check that found nothing wrong. */
export const ok = (message: string): Finding => ({ status: 'ok', message })

/** Creates the finding of a check that could not run, because another one failed or an option is absent. */
export const skipped = (message: string): Finding => ({ status: 'skipped', message })

/** Creates a finding that does not prevent operation. */
export const warning = (message: string, change: string): Finding => ({ status: 'warning', message, change })

/** Creates a finding that prevents operation. `change` names the configuration key. */
export const failed = (message: string, change: string): Finding => ({ status: 'failed', message, change })
