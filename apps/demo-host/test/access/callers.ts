/** All callers: the nine users of the demo, and `nobody`, a caller without a token. */
export const callers = [
  'nobody',
  'outsider',
  'inactive',
  'viewer',
  'auditor',
  'uploader',
  'clerk',
  'clerk2',
  'manager',
  'admin',
] as const
export type Caller = (typeof callers)[number]

/** The holders of each right, according to the documentation. The callers admin and manager have all rights. */
const holders = {
  'view invoices': ['viewer', 'auditor', 'uploader', 'clerk', 'clerk2'],
  'view trade': ['viewer', 'auditor', 'clerk', 'clerk2'],
  'change trade': ['clerk', 'clerk2'],
  'act on trade': ['clerk', 'clerk2'],
  'view audit': ['auditor', 'clerk', 'clerk2'],
  'view all audit': ['auditor'],
  'read attachments': ['viewer', 'auditor', 'clerk', 'clerk2'],
  'create attachments': ['uploader', 'clerk', 'clerk2'],
  'delete attachments': ['clerk', 'clerk2'],
  'read notes': ['viewer', 'auditor', 'clerk', 'clerk2'],
  'write notes': ['clerk', 'clerk2'],
  'release tasks': ['clerk', 'clerk2'],
  administer: [],
  'forward clerks’ tasks': ['clerk', 'clerk2'],
} as const satisfies Record<string, readonly Caller[]>
/** The recipients of tasks and notifications. Only roles select the recipients, so administrators receive no items. */
const recipients = {
  'receive tasks': ['clerk', 'clerk2'],
  'receive notifications': ['viewer', 'auditor'],
} as const satisfies Record<string, readonly Caller[]>

/** A right from `holders` or `recipients`, or `nothing`, which is a right that no caller has. */
export type Right = keyof typeof holders | keyof typeof recipients | 'nothing'

export function holdsRight(caller: Caller, right: Right): boolean {
  if (right === 'nothing') return false
  if (right === 'receive tasks' || right === 'receive notifications') {
    return recipients[right].some((recipient) => recipient === caller)
  }
  return caller === 'admin' || caller === 'manager' || holders[right].some((holder) => holder === caller)
}

/** A check of an endpoint, and the refusal if the check fails. Endpoints list their checks in execution order. */
export interface Check {
  readonly right: Right
  readonly refusal: string
}

const check = (right: Right, refusal: string): Check => ({ right, refusal })

/** The check that refuses callers without the right. */
export const permitted = (right: Right): Check => check(right, '403 permission.denied')
/** The check that hides the target from callers without the right. */
export const targetSeen = (right: Right): Check => check(right, '404 business_object.not_found')
/** The check that hides the requested object from callers without the right. */
export const seen = (right: Right, code: string): Check => check(right, `404 ${code}`)

/** Returns the expected answer for a caller: the success status, or the status and code of the first failed check. */
export function expectedAnswer(caller: Caller, checks: readonly Check[], success: number): string {
  if (caller === 'nobody') return '401 auth.required'
  if (caller === 'inactive') return '403 auth.inactive'
  const refused = checks.find(({ right }) => !holdsRight(caller, right))
  return refused?.refusal ?? String(success)
}
