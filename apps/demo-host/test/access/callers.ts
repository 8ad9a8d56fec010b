/** Everybody there is: the nine users, and nobody. */
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

/** Who holds a right, by the product's own table; admin and manager hold every one. */
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
  administer: [],
} as const satisfies Record<string, readonly Caller[]>
/** Who is given work and news, by their role and by nothing else they may do: administrators get none. */
const recipients = {
  'receive tasks': ['clerk', 'clerk2'],
  'receive notifications': ['viewer', 'auditor'],
} as const satisfies Record<string, readonly Caller[]>

/** What somebody may hold, and what nobody does, whatever they are. */
export type Right = keyof typeof holders | keyof typeof recipients | 'nothing'

export function holdsRight(caller: Caller, right: Right): boolean {
  if (right === 'nothing') return false
  if (right === 'receive tasks' || right === 'receive notifications') {
    return recipients[right].some((recipient) => recipient === caller)
  }
  return caller === 'admin' || caller === 'manager' || holders[right].some((holder) => holder === caller)
}

/** A check of an endpoint, and how it refuses. Endpoints are lists of these, in the order they are made. */
export interface Check {
  readonly right: Right
  readonly refusal: string
}

const check = (right: Right, refusal: string): Check => ({ right, refusal })

/** Without the right the caller is told which permission is missing. */
export const permitted = (right: Right): Check => check(right, '403 permission.denied')
/** Without the right the parent does not exist. */
export const parentSeen = (right: Right): Check => check(right, '404 business_object.not_found')
/** Without the right the thing itself does not exist. */
export const seen = (right: Right, code: string): Check => check(right, `404 ${code}`)

/** What an endpoint answers a caller with: `200`, or the status and code of the first check that refuses. */
export function expectedAnswer(caller: Caller, checks: readonly Check[], success: number): string {
  if (caller === 'nobody') return '401 auth.required'
  if (caller === 'inactive') return '403 auth.inactive'
  const refused = checks.find(({ right }) => !holdsRight(caller, right))
  return refused?.refusal ?? String(success)
}
